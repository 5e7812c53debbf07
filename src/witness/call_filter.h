#pragma once

namespace aesgate::witness {

/// Makes the calling process, and all that it becomes and starts, stop in its tracer (PTRACE_O_TRACESECCOMP) at the
/// system calls that tell which AES a program uses: socket(AF_ALG), bind(), open() and its like, ioctl() of
/// /dev/crypto's kind, ptrace(), and the installing of another such filter. Others pass at the price of a few
/// instructions. 0, or the errno of why it is not so. `keeps_privileges`: set-user-ID still counts, which takes
/// CAP_SYS_ADMIN.
[[nodiscard]] int install_call_filter(bool& keeps_privileges);

}  // namespace aesgate::witness
