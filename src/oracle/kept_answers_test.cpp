#include "oracle/kept_answers.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/oracle.h"

namespace aesgate {
namespace {

Case a_case() {
  Case c;
  c.shape = {Mode::cfb8, Direction::encrypt, KeySize::bits192};
  c.key = Key(KeySize::bits192);
  c.length = 21;
  c.input.assign(21, 0x5a);
  return c;
}

std::vector<Case> others() {
  std::vector<Case> all;
  const auto other = [&](auto change) {
    Case c = a_case();
    change(c);
    all.push_back(std::move(c));
  };
  other([](Case& c) { c.shape.direction = Direction::decrypt; });
  other([](Case& c) { c.shape.mode = Mode::ofb; });
  other([](Case& c) { c.key.bytes().back() = 1; });
  other([](Case& c) { c.iv.back() = 1; });
  other([](Case& c) { c.input.back() = 1; });
  other([](Case& c) {
    c.length = 20;
    c.input.resize(20);
  });
  return all;
}

TEST(kept_answers, are_those_of_the_oracles) {
  for (const int round : {1, 2}) {
    SCOPED_TRACE(round);
    EXPECT_EQ(ask_once(a_case())->output, ask(a_case())->output);
    for (const Case& c : others()) EXPECT_EQ(ask_once(c)->output, ask(c)->output);
  }
}

TEST(kept_answers, are_another_for_whatever_an_answer_follows_from) {
  const Bytes first = ask_once(a_case())->output;
  for (const Case& c : others()) EXPECT_NE(ask_once(c)->output, first);
}

TEST(kept_answers, are_given_to_a_case_that_is_cut_and_placed_otherwise) {
  const Bytes first = ask_once(a_case())->output;
  Case c = a_case();
  c.chunks = {1, 20};
  c.placement.in_place = true;
  EXPECT_EQ(ask_once(c)->output, first);
}

TEST(kept_answers, are_dropped_when_there_are_too_many_and_asked_for_again) {
  Case c = a_case();
  c.shape.mode = Mode::ecb;
  c.length = 60 * 1024;
  c.input.assign(c.length, 0);
  const auto number = [&](std::size_t n) {
    std::memcpy(c.input.data(), &n, sizeof n);
    return ask_once(c)->output;
  };
  const Bytes first = number(0);
  for (std::size_t n = 1; n * 2 * c.length < most_kept + 8 * c.length; ++n) ASSERT_NE(number(n), first) << n;
  EXPECT_EQ(number(0), first);
}

}  // namespace
}  // namespace aesgate
