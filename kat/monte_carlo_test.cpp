#include "kat/monte_carlo.h"

#include <array>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace aesgate {
namespace {

/// Where a shape's way stands after two outer steps, as computed by the pseudocode of AESAVS 6.4.1 to 6.4.5 written out
/// for each mode by itself, in another language and over another AES.
struct Third {
  Shape shape;
  const char* key;
  const char* iv;
  const char* input;
};

constexpr Direction encrypt = Direction::encrypt;
constexpr Direction decrypt = Direction::decrypt;

const std::array<Third, 12> thirds{{
    {{Mode::ecb, encrypt, KeySize::bits128},
     "3e5289cfc59ba25d5e9d4a548a86406d",
     "",
     "2864e7205d8f4a8635e8fae318257ea9"},
    {{Mode::ecb, decrypt, KeySize::bits192},
     "032f951f4083eb70e15a6124124fd28c6839f4ad2e10dd3e",
     "",
     "a5ba150181f94ce270049bf50b3333f8"},
    {{Mode::cbc, encrypt, KeySize::bits256},
     "705ef66c50c619c9da6a18a46f20afe54969a01fff54b3b68711a84d6c48bbbe",
     "9388c3d7f2e1e95b6c37a6376cd5e665",
     "9f084ba4a1f0c4c535d3693f4f5e966b"},
    {{Mode::cbc, decrypt, KeySize::bits192},
     "4e3bb2bcf7549fd0617bf21e7e4dc10a4203ec73f70aee2d",
     "a0ee900a5381b132c7c280823bbc3089",
     "c1259e116aeddf8e9e672c91469bced7"},
    {{Mode::cfb1, encrypt, KeySize::bits192},
     "314b4139b4a3ade114e568c658d64b72702d74ca521eac3d",
     "7023cf32827c8f542aa02669890d2365",
     "80"},
    {{Mode::cfb1, decrypt, KeySize::bits256},
     "fd0957dfbd3de550af6b2275cc3a85911c3d7817003fd19d3c653f9ff6726e5a",
     "b23de7439f6cccfaad9a229de5f4a0d1",
     "80"},
    {{Mode::cfb8, encrypt, KeySize::bits192},
     "305201a1863a45e70d2e97079d52a51c6671667e38e55960",
     "a454b5397c6e26b28609d6149d689fa5",
     "67"},
    {{Mode::cfb8, decrypt, KeySize::bits128},
     "1640138bb1c4d35b34ebfd6f29b34fd4",
     "3554f2effc70eaf82f76f39caace7ee3",
     "13"},
    {{Mode::cfb128, encrypt, KeySize::bits256},
     "fdd0aa5107ea5515b572e98eca0d20a876ac19424c8f1e7dad95e64bf716af14",
     "993bc63d490d7057bff0de15af82baf5",
     "68695fc06da3a27cda8f3248fe6fb501"},
    {{Mode::cfb128, decrypt, KeySize::bits128},
     "46d6aa6e16d711bcbe77a9dde870de8b",
     "cd033143239ed3849880db887a10ab8e",
     "f2a70328b91abf87307b59b777d0e9d5"},
    {{Mode::ofb, encrypt, KeySize::bits192},
     "826c79efea58c7d3b0e6b037fa735a98e26b86ee0c92f704",
     "b92b1d9c66a001fa1fc48dee63b72722",
     "85107e902bf00feaf5ce2a706bfa48c8"},
    {{Mode::ofb, decrypt, KeySize::bits256},
     "08697d0a3e0801320b337485c17fc5c62c25740d45418f2ab95e212905741be0",
     "821c417bbde675ea21d3109755334041",
     "7a8de84cd4bca3fa6b4c981576d89931"},
}};

TEST(monte_carlo, two_outer_steps_lead_where_aesavs_says) {
  for (const Third& third : thirds) {
    const monte_carlo::Step& step = monte_carlo::step(third.shape, 2);
    ASSERT_TRUE(step.answer) << step.answer.error().message;
    EXPECT_EQ(to_hex(step.c.key.bytes()), third.key) << name(third.shape);
    EXPECT_EQ(to_hex(step.c.input), third.input) << name(third.shape);
    EXPECT_EQ(has_iv(third.shape.mode) ? to_hex(step.c.iv) : "", third.iv) << name(third.shape);
  }
}

TEST(monte_carlo, every_shape_begins_with_a_valid_case_of_its_own) {
  std::set<std::string> keys;
  for (const Shape& shape : all_shapes()) {
    const Case c = monte_carlo::first(shape);
    const auto valid = c.validate();
    EXPECT_TRUE(valid) << name(shape) << ": " << valid.error().message;
    EXPECT_EQ(c.monte_carlo_steps, 1000u);
    EXPECT_TRUE(keys.insert(to_hex(c.key.bytes())).second) << name(shape);
  }
  EXPECT_EQ(keys.size(), shape_count);
}

TEST(monte_carlo, a_step_is_a_case_of_its_own_that_says_which_it_is) {
  const Shape shape{Mode::cfb8, encrypt, KeySize::bits256};
  const monte_carlo::Step& step = monte_carlo::step(shape, 4);
  EXPECT_EQ(step.c.origin, "Monte Carlo CFB8 encrypt 256 step 5 of 100");
  EXPECT_TRUE(step.c.validate());
  EXPECT_EQ(step.answer->output.size(), 1000u);
}

TEST(monte_carlo, threads_get_the_same_step) {
  const Shape shape{Mode::ofb, encrypt, KeySize::bits128};
  std::array<const monte_carlo::Step*, 4> seen{};
  {
    std::vector<std::thread> threads;
    for (auto& step : seen) threads.emplace_back([&] { step = &monte_carlo::step(shape, 20); });
    for (std::thread& thread : threads) thread.join();
  }
  for (const monte_carlo::Step* step : seen) EXPECT_EQ(step, seen[0]);
  EXPECT_EQ(seen[0]->c.origin, "Monte Carlo OFB encrypt 128 step 21 of 100");
}

}  // namespace
}  // namespace aesgate
