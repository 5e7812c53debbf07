// Which road a run of openssl speed took: the engine that it asks for, -evp, and what that engine has.

#include <algorithm>

#include <fmt/format.h>

#include "explain/engine_offers.h"
#include "explain/explanation.h"
#include "explain/words.h"

namespace aesgate::explain {
namespace {

/// From 3.0 on, openssl speed uses EVP for every cipher, with -evp or without.
bool ran_without_evp(const SpeedRun& run) {
  return run.invocation.evp == false && run.invocation.major_version() < 3 && run.algorithm.aes;
}

void explain_refusal(Explanation& out, const Subject& subject) {
  const Invocation& said = subject.run->invocation;
  out.failed = true;
  const bool ran = !subject.run->samples.empty();
  out.fact("engine-refused", fmt::format("{}: \"{}\"{}", said.refusal_place.text(), said.engine_refusal,
                                         ran ? ", and the run went on" : ""));
  if (ran)
    out.infer("engine-refused", Sure::certain,
              fmt::format("the figures of {} are libcrypto's own, and the engine {} had no part in them: a silent "
                          "fallback to software, to be treated as a failure",
                          subject.label, said.engine));
  else
    out.infer("engine-refused", Sure::certain, fmt::format("the engine {} cannot be used as it is", said.engine));
  bool not_found = false, no_kernel = said.engine_refusal.find("/dev/crypto") != std::string::npos;
  for (const std::string& line : said.engine_errors) {
    not_found = not_found || mentions(line, "could not load the shared library") || mentions(line, "dso not found");
    no_kernel = no_kernel || mentions(line, "e_afalg.c");
  }
  if (no_kernel)
    out.cause("engine-refused", Sure::likely,
              said.engine == "afalg"
                  ? "the engine was loaded, and its check of the kernel failed: AF_ALG is not built in, or its module "
                    "algif_skcipher is not loaded"
                  : "there is no /dev/crypto, or no right to open it: the kernel's module is not loaded");
  else if (not_found)
    out.cause("engine-refused", Sure::likely,
              "the engine's shared object is not where this OpenSSL looks for engines, or is for another version");
  else
    out.cause("engine-refused", Sure::possible, "this OpenSSL was built without the engine, or its device is missing");
  if (!said.engine.empty()) out.run_next(fmt::format("openssl engine -t -c {}", said.engine));
  out.run_next("openssl version -e");
  if (no_kernel && said.engine == "afalg") out.run_next("grep -A9 'cbc(aes)' /proc/crypto");
}

void explain_no_evp(Explanation& out, const std::vector<const Subject*>& subjects) {
  const SpeedRun& run = *subjects.front()->run;
  const Invocation& said = run.invocation;
  out.fact("no-evp", fmt::format("{}: {}", labels(subjects),
                                 said.command.empty() ? "no -evp, as the form of the name shows (up to 1.1.1)"
                                                      : "the command has no -evp"));
  if (said.engine.empty()) return;
  const bool known = said.major_version() >= 0;
  out.cause(
      "no-evp", known ? Sure::very_likely : Sure::likely,
      fmt::format("without -evp, openssl speed {} calls {} directly and never asks the engine {}",
                  known ? "of " + said.version : "up to 1.1.1",
                  run.algorithm.mode == "CBC" ? "AES_cbc_encrypt()" : "the AES functions of libcrypto", said.engine));
}

void explain_not_offered(Explanation& out, const SpeedRun& run, const Offer& offer) {
  const std::string what =
      fmt::format("the engine {} of OpenSSL {} offers {}", offer.engine, offer.versions, offer.text());
  if (ran_without_evp(run))
    out.infer("not-offered", Sure::very_likely,
              fmt::format("with -evp, {} would still be software: {}", run.algorithm.name, what));
  else
    out.infer("not-offered", Sure::very_likely, fmt::format("{} ran in software: {}", run.algorithm.name, what));
}

/// What can be said of runs with EVP.
void explain_paths(Explanation& out, const std::vector<const Subject*>& with_engine,
                   const std::vector<const Subject*>& without) {
  if (!without.empty())
    out.infer("path", Sure::likely,
              fmt::format("{}: no engine is named, so libcrypto's own code ran, with the CPU's AES instructions if it "
                          "has them and they are not masked; a configuration file may name an engine or a provider "
                          "that the text does not show",
                          labels(without)));
  for (const Subject* subject : with_engine) {
    const Offer* offer = find_offer(subject->run->invocation);
    out.infer("path", Sure::possible,
              fmt::format("{}: -evp asks the engine {}{}; whether it did the work is told by the set-up a call, and "
                          "not by the rate",
                          subject->label, subject->run->invocation.engine,
                          offer != nullptr ? fmt::format(", which offers {}", offer->text()) : ""));
  }
}

}  // namespace

void find_engine(Explanation& out) {
  std::vector<const Subject*> without_evp, by_engine, by_libcrypto;
  std::vector<std::string> refused, not_offered;
  const auto first_time = [](std::vector<std::string>& seen, const std::string& key) {
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return false;
    seen.push_back(key);
    return true;
  };
  for (const Subject& subject : out.subjects) {
    const SpeedRun& run = *subject.run;
    const Invocation& said = run.invocation;
    if (said.tool != Tool::openssl) continue;
    const bool refusal = !said.engine_refusal.empty();
    if (refusal && first_time(refused, said.refusal_place.text())) explain_refusal(out, subject);
    if (!run.algorithm.aes) continue;
    const Offer* offer = find_offer(said);
    const bool offered = offer == nullptr || offer->has(run.algorithm);
    if (ran_without_evp(run))
      without_evp.push_back(&subject);
    else if (said.engine.empty())
      by_libcrypto.push_back(&subject);
    else if (!refusal && offered)
      by_engine.push_back(&subject);
    if (!offered && first_time(not_offered, run.algorithm.name + ' ' + said.version + ' ' + said.engine))
      explain_not_offered(out, run, *offer);
    if (said.engine.empty() || refusal) continue;
    const std::string command = speed_command(run, offer == nullptr ? std::string() : offer->nearest(run.algorithm));
    out.run_next(command);
    out.run_next(witness_command(command));
  }
  // Those with an engine first: the question is theirs.
  std::stable_sort(without_evp.begin(), without_evp.end(), [](const Subject* a, const Subject* b) {
    return a->run->invocation.engine.empty() < b->run->invocation.engine.empty();
  });
  if (!without_evp.empty()) explain_no_evp(out, without_evp);
  explain_paths(out, by_engine, by_libcrypto);
}

}  // namespace aesgate::explain
