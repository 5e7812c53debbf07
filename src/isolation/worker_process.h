#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include <sys/types.h>
#include <tl/expected.hpp>

#include "core/bytes.h"
#include "core/call_note.h"
#include "core/status.h"

namespace aesgate {

/// Loss: how a worker came to give no answer.
struct Loss {
  Verdict verdict;     // crashed, timed_out or failed
  std::string reason;  // "SIGSEGV in update() 2, of 16 at 48"; "no answer in 10 s in start()"; "it called exit(3) in …"
};

/// WorkerProcess: a process of this program that executes Cases for this one (worker.h). It dies with the thread that
/// started it, which must be the one that uses it and destroys it; destruction kills it, with what it started, and
/// waits for its end: none is left behind.
class WorkerProcess {
 public:
  /// Starts one for a plugin's file, or for the backends built in if `source` is empty. Throws std::system_error where
  /// the system has no process, memory or descriptor left: that is no backend's fault.
  explicit WorkerProcess(const std::filesystem::path& source);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends a request and waits for the answer, `limit` at most. After a Loss the process is gone, and no other request
  /// may be made.
  [[nodiscard]] tl::expected<Bytes, Loss> ask(ByteView request, std::chrono::milliseconds limit);

 private:
  class Descriptor {
   public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
    [[nodiscard]] int get() const { return number_; }

   private:
    int number_;
  };
  struct Unmap {
    void operator()(CallNote* note) const;
  };

  void share_note(Descriptor& memory);
  void spawn(const std::filesystem::path& source, int socket, int note);
  [[nodiscard]] Loss lost();
  [[nodiscard]] Loss silent(std::chrono::milliseconds limit);
  [[nodiscard]] bool has_ended(int options);
  void kill();

  Descriptor socket_;
  std::unique_ptr<CallNote, Unmap> note_;
  pid_t process_ = 0;  // 0: gone, and waited for
  int status_ = 0;     // of waitpid(), when it is gone
};

}  // namespace aesgate
