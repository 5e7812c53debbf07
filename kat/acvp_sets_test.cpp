#include "kat/acvp_sets_test.h"

#include <fstream>
#include <iterator>

#include <unistd.h>

namespace aesgate::acvp {

std::string vector_set(const std::string& algorithm, const std::string& group, const std::string& tests) {
  return R"({"vsId": 7, "algorithm": ")" + algorithm + R"(", "revision": "1.0", "testGroups": [{"tgId": 1, )" + group +
         R"(, "tests": [)" + tests + "]}]}";
}

const char* const cbc_prompt = R"([{"acvVersion": "1.0"}, {
  "vsId": 12, "algorithm": "ACVP-AES-CBC", "revision": "1.0", "isSample": true,
  "testGroups": [
    {"tgId": 1, "testType": "AFT", "direction": "encrypt", "keyLen": 128, "tests": [
      {"tcId": 1, "key": "2B7E151628AED2A6ABF7158809CF4F3C", "iv": "000102030405060708090A0B0C0D0E0F",
       "pt": "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"}]},
    {"tgId": 4, "testType": "AFT", "direction": "decrypt", "keyLen": 128, "tests": [
      {"tcId": 9, "key": "2b7e151628aed2a6abf7158809cf4f3c", "iv": "000102030405060708090a0b0c0d0e0f",
       "ct": "7649abac8119b246cee98e9b12e9197d"}]}]}])";

const char* const cbc_response = R"([{"acvVersion":"1.0"},
{"vsId":12,"algorithm":"ACVP-AES-CBC","revision":"1.0","isSample":true,"testGroups":[
{"tgId":1,"tests":[
{"tcId":1,"ct":"7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2"}]},
{"tgId":4,"tests":[
{"tcId":9,"pt":"6BC1BEE22E409F96E93D7E117393172A"}]}]}]
)";

AcvpTest::AcvpTest()
    : folder(
          std::filesystem::temp_directory_path() /
          fmt::format("aesgate_acvp_{}_{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name())) {
  std::filesystem::create_directories(folder);
}

AcvpTest::~AcvpTest() { std::filesystem::remove_all(folder); }

std::filesystem::path AcvpTest::write(const std::string& file, const std::string& text) const {
  std::ofstream(folder / file, std::ios::binary) << text;
  return folder / file;
}

std::string AcvpTest::read(const std::string& file) const {
  std::ifstream stream(folder / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Answered AcvpTest::answer_files(const aesgate_backend& backend, const std::filesystem::path& prompt,
                                const std::filesystem::path& expected) {
  Answered answered;
  const auto files = Files::open(prompt, expected);
  if (!files) {
    answered.error = files.error().message;
    return answered;
  }
  Record record(folder / "cases");
  FileReplacement out(folder / "response.json");
  const auto answers =
      acvp::answer(*files, backend, out, record, [&](const Failure& failure) { answered.failures.push_back(failure); });
  if (answers)
    answered.answers = *answers;
  else
    answered.error = answers.error().message;
  answered.response = read("response.json");
  return answered;
}

Answered AcvpTest::answer(const aesgate_backend& backend, const std::string& prompt, const std::string& expected) {
  const auto prompt_file = write("prompt.json", prompt);
  return answer_files(backend, prompt_file,
                      expected.empty() ? std::filesystem::path() : write("expected.json", expected));
}

}  // namespace aesgate::acvp
