#pragma once

namespace aesgate {

// The side of a worker: a process of this program that holds a backend which may crash, hang or exit, and executes
// Cases for the process that started it (worker_process.h).

/// If this process was started as a worker: works until the process that started it is done, and never returns.
/// First in main() of each program that isolates backends.
void work_if_worker(int argc, char** argv);

namespace worker {

/// The command line is: PROGRAM `argument` PARENT SOURCE. PARENT is the number of the process that started it; SOURCE
/// is a plugin's file, or empty for the backends built in.
inline constexpr const char* argument = "--worker-of-aesgate";

/// The descriptors that it starts with.
inline constexpr int socket = 3;
inline constexpr int note = 4;

/// The exit status of a worker whose answer cannot be sent any more.
inline constexpr int cannot_answer = 121;

/// That of one which a backend has made fork more often than `most_forks`, and which has children left: it would do so
/// in each of hundreds of thousands of calls, and the machine would have no process left.
inline constexpr int forked_too_often = 122;
inline constexpr unsigned most_forks = 16;

}  // namespace worker
}  // namespace aesgate
