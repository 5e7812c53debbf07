#pragma once

#include "core/write_file.h"
#include "kat/acvp_answer.h"
#include "kat/acvp_prompt.h"

namespace aesgate::acvp {

/// Response: the answers to a vector set as an ACVP server takes them, in the form of the prompt: with the object of
/// the protocol's version around it or without. Written as it goes, a line a test; `file` keeps what went wrong.
/// Nothing is there to see before file.commit().
class Response {
 public:
  explicit Response(FileReplacement& file) : file_(file) {}

  void begin_set(const SetHead& set);
  void begin_group(const GroupHead& group);
  void test(const TestAnswer& answer);
  void end_group();
  void end_set();

 private:
  FileReplacement& file_;
  bool in_array_ = false, first_group_ = true, first_test_ = true;
};

}  // namespace aesgate::acvp
