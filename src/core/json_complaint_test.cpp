#include "core/json_complaint.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace aesgate {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

template <typename Read>
std::string complaint(const std::string& text, Read read) {
  try {
    (void)read(json::parse(text));
  } catch (const json::exception& wrong) {
    return json_complaint(wrong.what());
  }
  return "none";
}

std::string complaint(const std::string& text) {
  return complaint(text, [](const json&) { return 0; });
}

TEST(JsonComplaint, OfWhatIsNoJsonSaysWhere) {
  EXPECT_THAT(complaint("{\n \"a\": x}"), StartsWith("malformed JSON: line 2, column 7: "));
  EXPECT_THAT(complaint(""), StartsWith("malformed JSON: line 1, column 1: "));
  EXPECT_THAT(complaint(std::string(200'000, '[')), StartsWith("malformed JSON: line 1, column 200001: "));
  for (const char* text : {"{\n \"a\": x}", "\"aaa", "[1,", "1e999"})
    EXPECT_THAT(complaint(text), AllOf(Not(HasSubstr("exception")), Not(HasSubstr("last read")))) << text;
  EXPECT_EQ(complaint("1e999"), "a number is too large");
}

TEST(JsonComplaint, OfWhatIsMissingOrAnotherType) {
  const auto member = [](const json& value) { return value.at("schema"); };
  EXPECT_EQ(complaint("{\"a\": 1}", member), "\"schema\" is missing");
  EXPECT_EQ(complaint("3", member), "an object belongs where a number is");
  EXPECT_EQ(complaint("[]", member), "an object belongs where an array is");
  EXPECT_EQ(complaint("null", member), "an object belongs where null is");
  EXPECT_EQ(complaint("3", [](const json& value) { return value.value("a", 1); }),
            "an object belongs where a number is");
  EXPECT_EQ(complaint("3", [](const json& value) { return value.get<std::string>(); }),
            "a string belongs where a number is");
  EXPECT_EQ(complaint("\"many\"", [](const json& value) { return value.get<std::size_t>(); }),
            "a number belongs where a string is");
  EXPECT_EQ(complaint("[]", [](const json& value) { return value.at(0); }), "an array has too few elements");
}

TEST(JsonComplaint, OtherWordsAreKept) {
  EXPECT_EQ(json_complaint("no such verdict"), "no such verdict");
  EXPECT_THAT(json_complaint(std::string(1000, 'x')), SizeIs(200));
}

}  // namespace
}  // namespace aesgate
