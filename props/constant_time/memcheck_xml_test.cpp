#include "props/constant_time/memcheck_xml.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace aesgate::constant_time {
namespace {

std::string frame(const std::string& function, const std::string& place) {
  return "<frame><ip>0x109149</ip><obj>/opt/aesgate</obj><fn>" + function + "</fn>" + place + "</frame>";
}

std::string error(const std::string& kind, const std::string& frames, const std::string& origin) {
  return fmt::format(
      "<error><unique>0x0</unique><tid>1</tid><kind>{}</kind><what>Something uninitialised</what><stack>{}</stack>"
      "<auxwhat>Uninitialised value was created by {}</auxwhat><stack>{}</stack></error>\n",
      kind, frames, origin, frame("run", ""));
}

std::string report(const std::string& errors) {
  return "<?xml version=\"1.0\"?>\n<valgrindoutput><protocolversion>4</protocolversion>"
         "<protocoltool>memcheck</protocoltool>" +
         errors + "</valgrindoutput>\n";
}

const std::string line_41 = "<dir>/src</dir><file>sbox.cpp</file><line>41</line>";

TEST(MemcheckXml, NamesFunctionFileAndLine) {
  const auto parsed = parse_memcheck_xml(report(error(
      "UninitValue", frame("aesgate::(anonymous namespace)::sub_word(unsigned int)", line_41), "a client request")));
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->secret.size(), 1u);
  EXPECT_EQ(to_text(parsed->secret[0].place), "sub_word (sbox.cpp:41)");
  EXPECT_THAT(parsed->secret[0].what, testing::HasSubstr("address"));
  EXPECT_TRUE(parsed->other.empty());
}

TEST(MemcheckXml, TwoStacksToOneLineAreOneLeak) {
  const auto parsed =
      parse_memcheck_xml(report(error("UninitValue", frame("f", line_41) + frame("g", ""), "a client request") +
                                error("UninitValue", frame("f", line_41) + frame("h", ""), "a client request") +
                                error("UninitCondition", frame("f", line_41), "a client request")));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->secret.size(), 2u);
  EXPECT_THAT(parsed->secret[1].what, testing::HasSubstr("jump"));
}

TEST(MemcheckXml, AFunctionWithoutALineIsNamedByItsCaller) {
  const auto parsed = parse_memcheck_xml(
      report(error("UninitCondition", frame("memcmp", "") + frame("f", line_41), "a client request")));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->secret.size(), 1u);
  EXPECT_EQ(to_text(parsed->secret[0].place), "f (sbox.cpp:41)");
}

TEST(MemcheckXml, PlacesThatValgrindDoesNotNameAreTheReaders) {
  const std::string nameless = report(
      "<error><kind>UninitValue</kind><stack><frame><ip>0x10914A</ip><obj>/memfd:x (deleted)</obj></frame></stack>"
      "<auxwhat>Uninitialised value was created by a client request</auxwhat></error>");
  EXPECT_EQ(addresses_without_line(nameless), std::set<std::uint64_t>{0x10914a});
  const auto parsed = parse_memcheck_xml(nameless, {{0x10914a, {"f", "sbox.cpp", 41, ""}}});
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->secret.size(), 1u);
  EXPECT_EQ(to_text(parsed->secret[0].place), "f (sbox.cpp:41)");
}

TEST(MemcheckXml, CodeOfNoLineIsNamedWhereItsFunctionIsNot) {
  const std::string twin = error("UninitValue", frame("f", ""), "a client request");
  const auto both = parse_memcheck_xml(report(twin + error("UninitValue", frame("f", line_41), "a client request")));
  ASSERT_TRUE(both);
  ASSERT_EQ(both->secret.size(), 1u);
  EXPECT_EQ(both->secret[0].place.line, 41u);
  const auto alone = parse_memcheck_xml(report(twin));
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->secret.size(), 1u);
}

TEST(MemcheckXml, WhatNobodySetIsNoSecret) {
  const auto parsed =
      parse_memcheck_xml(report(error("UninitCondition", frame("f", line_41), "a stack allocation") +
                                "<error><kind>InvalidRead</kind><what>Invalid read of size 4</what><stack>" +
                                frame("g", "") + "</stack></error>"));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->secret.empty());
  ASSERT_EQ(parsed->other.size(), 2u);
  EXPECT_EQ(parsed->other[1].what, "Invalid read of size 4 (InvalidRead)");
}

TEST(MemcheckXml, AnOriginThatIsNotKnownIsNeitherLeakNorNone) {
  const auto parsed =
      parse_memcheck_xml(report("<error><kind>UninitValue</kind><stack>" + frame("f", line_41) + "</stack></error>"));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->secret.empty());
  EXPECT_TRUE(parsed->other.empty());
  ASSERT_EQ(parsed->unclear.size(), 1u);
  EXPECT_EQ(to_text(parsed->unclear[0].place), "f (sbox.cpp:41)");
}

TEST(MemcheckXml, HalfAReportIsAnError) {
  const std::string whole = report(error("UninitValue", frame("f", line_41), "a client request"));
  EXPECT_FALSE(parse_memcheck_xml(whole.substr(0, whole.size() - 20)));
  EXPECT_FALSE(parse_memcheck_xml(""));
  EXPECT_FALSE(parse_memcheck_xml("<html></html>"));
}

}  // namespace
}  // namespace aesgate::constant_time
