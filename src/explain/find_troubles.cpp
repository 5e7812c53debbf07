// Wrong results: whatever they were produced with, its speed means nothing.

#include <fmt/format.h>

#include "explain/explanation.h"

namespace aesgate::explain {
namespace {

std::string who(const Trouble& trouble) { return trouble.who.empty() ? "the implementation" : trouble.who; }

/// The backend of aesgate that is the driver, or the engine, in question.
std::string backend_of(const Trouble& trouble, const Reading& reading) {
  if (trouble.self_test) return trouble.who.empty() ? "af_alg" : "af_alg:driver=" + trouble.who;
  if (trouble.what != Trouble::What::bad_decrypt) return trouble.who;
  for (const SpeedRun& run : reading.runs)
    if (!run.invocation.engine.empty()) return "openssl:engine=" + run.invocation.engine;
  return "openssl";
}

void explain_bad_decrypt(Explanation& out) {
  out.infer("wrong-result", Sure::very_likely,
            "what came out of decryption does not end in valid padding: with this key and IV the plaintext is wrong. "
            "Verify first; the speed of what is wrong means nothing");
  out.cause("wrong-result", Sure::likely,
            "encryption and decryption ran in different implementations, and one of them is wrong: decrypt once with "
            "the engine and once without, and compare");
  out.cause("wrong-result", Sure::possible,
            "a wrong password, or a key derived in another way: the digest of openssl enc is SHA-256 since 1.1.0, and "
            "was MD5 before (-md)");
}

void explain_chaining(Explanation& out, const Trouble& trouble) {
  out.infer("chaining-value", Sure::very_likely,
            fmt::format("{} gives back a wrong chaining value (IV): whatever goes on with the message goes on "
                        "wrongly, while a message in one call can be right",
                        who(trouble)));
  out.cause("chaining-value", Sure::likely,
            "the last ciphertext block is not copied out, or is read after it was overwritten: split a message 48 + 16 "
            "bytes and compare with one call of 64");
}

void explain_wrong_result(Explanation& out, const Trouble& trouble) {
  out.infer("wrong-result", Sure::certain,
            fmt::format("{} computes a wrong result: verify it; its speed means nothing", who(trouble)));
  if (trouble.vector <= 0) return;
  out.infer("chaining-value", Sure::likely,
            fmt::format("the self-test takes its vectors in order, the first of cbc(aes) is a single block, and number "
                        "{} is the first that failed: one block is right, and a longer message wrong",
                        trouble.vector));
  out.cause("chaining-value", Sure::likely,
            "from one block to the next the chaining value is written back wrongly: split a message 48 + 16 bytes and "
            "compare with one call of 64");
}

void explain_in_place(Explanation& out, const Trouble& trouble) {
  out.infer("overlap", trouble.self_test ? Sure::likely : Sure::very_likely,
            fmt::format("{} is wrong where the output takes the place of the input{}", who(trouble),
                        trouble.self_test ? "; the self-test ends at its first failure, so this line does not tell "
                                            "whether it is right out of place"
                                          : ", and right out of place"));
  out.cause("overlap", Sure::likely,
            "the input is overwritten before it was used for the last time: CBC and CFB decryption need each "
            "ciphertext block again for the one after it");
}

}  // namespace

void find_troubles(Explanation& out) {
  for (const Trouble& trouble : out.reading->troubles) {
    out.failed = true;
    out.fact("failure", fmt::format("{}: \"{}\"", trouble.place.text(), trouble.line));
    switch (trouble.what) {
      case Trouble::What::bad_decrypt: explain_bad_decrypt(out); break;
      case Trouble::What::wrong_chaining_value: explain_chaining(out, trouble); break;
      case Trouble::What::in_place: explain_in_place(out, trouble); break;
      case Trouble::What::wrong_result:
      case Trouble::What::mismatch: explain_wrong_result(out, trouble); break;
    }
    const std::string backend = backend_of(trouble, *out.reading);
    if (!backend.empty())
      out.run_next(
          fmt::format("aesgate verify --backend {} --require {}", backend, backend.substr(0, backend.find(':'))));
  }
}

}  // namespace aesgate::explain
