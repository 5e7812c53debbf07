// What every backend must do, through execute() and judge(): the calls that the other stages do not make on purpose.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/case.h"
#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "emulator/emulator.h"
#include "oracle/oracle.h"

namespace aesgate {
namespace {

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  std::uint32_t x = seed * 2654435761u + 1;
  for (auto& byte : bytes) {
    x = x * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(x >> 24);
  }
  return bytes;
}

Key key_for(const Shape& shape) { return Key::from(pattern(key_bytes(shape.key_size), 7)).value(); }

Block iv_of(unsigned seed) {
  Block iv;
  std::ranges::copy(pattern(block_bytes, seed), iv.begin());
  return iv;
}

Case message(const Shape& shape, std::size_t length) {
  return make_case(shape, key_for(shape), iv_of(3), pattern(bytes_for(shape.mode, length), 11), length);
}

/// What AESGATE_EMULATE names is emulated in all tests of this program. CTest runs the tests of a backend whose kernel or
/// device is not here so.
class Emulators : public ::testing::Environment {
 public:
  void SetUp() override {
    const auto installed = emulator::install_from_environment();
    if (installed) return;
    // Required, it is a failure; else CTest shows all as skipped.
    ASSERT_EQ(std::getenv("AESGATE_REQUIRE"), nullptr) << installed.error().message;
    GTEST_SKIP() << "no emulator: " << installed.error().message;
  }
};
[[maybe_unused]] const auto* const emulators = ::testing::AddGlobalTestEnvironment(new Emulators);

/// What the oracles say, asked once for all ways of cutting a message.
Answer answer_to(const Case& c) {
  auto answer = ask(c);
  EXPECT_TRUE(answer) << answer.error().message;
  return answer.value();
}

void expect_agreement(const aesgate_backend& backend, const Case& c, const Answer& answer) {
  const Judgement judgement = judge(c, execute(backend, c), answer);
  // One disagreement a test: a wrong backend has thousands, and the stages report it better.
  ASSERT_TRUE(judgement.verdict == Verdict::agree)
      << name(judgement.verdict) << ": " << judgement.reason << "\nchunks " << ::testing::PrintToString(c.chunks)
      << ", in place " << c.placement.in_place;
}

/// The shapes of one mode of one backend.
class Backend : public ::testing::TestWithParam<std::tuple<const aesgate_backend*, Mode>> {
 protected:
  void SetUp() override {
    const std::string why = why_unavailable(backend_);
    if (!why.empty()) GTEST_SKIP() << backend_.name << " is unavailable: " << why;
    for (const Shape& shape : all_shapes())
      if (shape.mode == mode_ && Session::supports(backend_, shape)) shapes_.push_back(shape);
    if (shapes_.empty()) GTEST_SKIP() << backend_.name << " does not support " << name(mode_);
  }

  [[nodiscard]] bool in_blocks() const { return is_block_mode(mode_); }

  const aesgate_backend& backend_ = *std::get<0>(GetParam());
  const Mode mode_ = std::get<1>(GetParam());
  std::vector<Shape> shapes_;
};

// In CFB1 and at 70 units, every bit of a byte is among the places to split at.
TEST_P(Backend, every_split_in_two_equals_one_call) {
  for (const Shape& shape : shapes_) {
    SCOPED_TRACE(name(shape));
    Case c = message(shape, in_blocks() ? 80 : 70);
    const Answer answer = answer_to(c);
    for (const bool in_place : {false, true}) {
      for (std::size_t first = 0; first <= c.length; first += in_blocks() ? 16 : 1) {
        c.placement.in_place = in_place;
        c.chunks = {first, c.length - first};
        ASSERT_NO_FATAL_FAILURE(expect_agreement(backend_, c, answer));
      }
    }
  }
}

// Up to more than two full steps of any engine: every narrower step of a parallel mode runs, alone and after others.
TEST_P(Backend, every_number_of_blocks) {
  for (const Shape& shape : shapes_) {
    SCOPED_TRACE(name(shape));
    for (std::size_t blocks = 0; blocks <= 150; ++blocks) {
      Case c = message(shape, blocks * segment_units(mode_));
      c.placement.in_place = blocks % 2 == 1;
      c.placement.input = c.placement.output = {Spot::Edge::end, 0};
      ASSERT_NO_FATAL_FAILURE(expect_agreement(backend_, c, answer_to(c)));
    }
  }
}

// Longer than the pieces that CFB1 and CFB8 decryption copy, with an end in the middle of a block or byte.
TEST_P(Backend, a_long_message_at_odd_addresses) {
  for (const Shape& shape : shapes_) {
    SCOPED_TRACE(name(shape));
    Case c = message(shape, in_blocks() ? 2064 : 2061);
    c.placement.input = {Spot::Edge::end, 0};
    c.placement.output = {Spot::Edge::end, 3};
    const Answer answer = answer_to(c);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(backend_, c, answer));
    c.placement = {.in_place = true, .input = {Spot::Edge::start, 1}, .output = {}, .key = {}, .iv = {}};
    if (in_blocks())
      c.chunks = {16, 32, 7, 48, 0, 1968};  // 7 is to be refused
    else
      c.chunks = {1, 2, 3, 5, 0, 17, 33, 600, 1400};
    ASSERT_NO_FATAL_FAILURE(expect_agreement(backend_, c, answer));
  }
}

TEST_P(Backend, restart_equals_start) {
  if (backend_.restart == nullptr) GTEST_SKIP() << backend_.name << " has no restart()";
  for (const Shape& shape : shapes_) {
    SCOPED_TRACE(name(shape));
    const Case c = message(shape, in_blocks() ? 48 : 45);
    Bytes once(c.input.size());
    Bytes again(c.input.size());
    Session session(backend_, shape);
    // What came before the restart ends in the middle of a block, where there is one.
    ASSERT_EQ(session.start(c.key.bytes().data(), iv_of(99).data()), Status::ok);
    ASSERT_EQ(session.update(c.input.data(), once.data(), in_blocks() ? 16 : 5), Status::ok);
    ASSERT_EQ(session.restart(c.key.bytes().data(), c.iv.data()), Status::ok);
    ASSERT_EQ(session.update(c.input.data(), again.data(), c.length), Status::ok);
    ASSERT_EQ(session.start(c.key.bytes().data(), c.iv.data()), Status::ok);
    ASSERT_EQ(session.update(c.input.data(), once.data(), c.length), Status::ok);
    EXPECT_EQ(once, again);
  }
}

TEST_P(Backend, finish_wipes_the_context) {
  if (std::string_view(backend_.kind) == "library" || std::string_view(backend_.kind) == "kernel")
    GTEST_SKIP() << "what a " << backend_.kind << " keeps is not in the context";
  for (const Shape& shape : shapes_) {
    SCOPED_TRACE(name(shape));
    const Case c = message(shape, 16);
    const std::size_t size = Session::context_size(backend_, shape);
    const std::size_t align = std::max(backend_.context_align, alignof(std::max_align_t));
    Bytes memory(size + align, 0xee);
    void* p = memory.data();
    std::size_t space = memory.size();
    const std::span<std::uint8_t> context(static_cast<std::uint8_t*>(std::align(align, size, p, space)), size);
    {
      Session session(backend_, shape, context);
      ASSERT_EQ(session.start(c.key.bytes().data(), c.iv.data()), Status::ok);
      EXPECT_NE(std::ranges::count(context, 0xee), static_cast<std::ptrdiff_t>(size)) << "start() wrote nothing";
    }
    EXPECT_EQ(std::ranges::count(context, 0), static_cast<std::ptrdiff_t>(size));
  }
}

std::string test_name(const ::testing::TestParamInfo<Backend::ParamType>& test) {
  const auto& [backend, mode] = test.param;
  std::string text = fmt::format("{}_{}", backend->name, name(mode));
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(backends, Backend,
                         ::testing::Combine(::testing::ValuesIn(built_in_backends_and_forms()),
                                            ::testing::ValuesIn(all_modes)),
                         test_name);

// One file a backend, in the folder of its kind, and one a form, in the folder of its backend. A file that registers
// nothing would be dead code that looks alive.
TEST(backend_files, each_registers_the_backend_or_form_of_its_name) {
  const std::filesystem::path folder = std::filesystem::path(AESGATE_SOURCE_DIR) / "src/backends";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path path = entry.path();
    if (path.parent_path() == folder || path.extension() != ".cpp" || path.stem().string().ends_with("_test")) continue;
    files.push_back(path.lexically_relative(folder).replace_extension().string());
  }
  std::vector<std::string> registered;
  for (const aesgate_backend* backend : built_in_backends())
    registered.push_back(fmt::format("{}/{}", backend->kind, backend->name));
  for (const aesgate_backend* form : built_in_forms()) {
    std::string path = fmt::format("{}/{}", form->kind, form->name);
    path[path.rfind('-')] = '/';
    registered.push_back(path);
  }
  EXPECT_THAT(files, ::testing::SizeIs(::testing::Ge(3u)));
  EXPECT_THAT(registered, ::testing::UnorderedElementsAreArray(files));
}

TEST(backend_shapes, what_is_no_shape_is_unsupported) {
  for (const aesgate_backend* backend : built_in_backends_and_forms()) {
    for (const aesgate_shape shape :
         {aesgate_shape{6, 0, 128, 0}, aesgate_shape{0, 2, 128, 0}, aesgate_shape{0, 0, 129, 0},
          aesgate_shape{0, 0, 0, 0}, aesgate_shape{0, 0, 512, 0}, aesgate_shape{0, 0, 128, 1}}) {
      EXPECT_EQ(backend->update_for(backend, &shape), nullptr)
          << backend->name << " " << shape.mode << " " << shape.direction << " " << shape.key_bits << " "
          << shape.flags;
    }
  }
}

}  // namespace
}  // namespace aesgate
