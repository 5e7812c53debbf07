#pragma once

namespace aesgate::witness {

struct BackendJob;

/// What a worker does with its job, in a forked child of a process that has installed its emulators, with standard
/// output where the answer goes: stand-ins (emulator/stand_in.h) reach no new program.
[[noreturn]] void work_as_witness(const BackendJob& job);

/// If this process was started as a worker of witness_backend(): works, and never returns. First in main() of each
/// program that witnesses backends.
void work_if_witness(int argc, char** argv);

/// The command line is: PROGRAM `witness_argument` JOB, which backend_job.h has.
inline constexpr const char* witness_argument = "--witness-of-aesgate";

}  // namespace aesgate::witness
