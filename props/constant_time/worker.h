#pragma once

namespace aesgate::constant_time {

/// The command line of a worker is: PROGRAM `worker_argument` JOB. It writes its Answer to standard output.
inline constexpr const char* worker_argument = "--constant-time-worker-of-aesgate";

/// If this process was started as a worker: does its job and never returns. First in main() of each program that calls
/// check() of check.h.
void work_if_worker(int argc, char** argv);

}  // namespace aesgate::constant_time
