#include "backends/library/openssl_ciphers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/execute.h"
#include "core/judge.h"
#include "core/registry.h"
#include "core/session.h"
#include "oracle/oracle.h"

// The variants of the backend; the backend itself is tested with all others.
namespace aesgate::library {
namespace {

using ::testing::HasSubstr;

/// An engine that hands out the AES which libcrypto has from before there were providers: the one way to an engine's
/// ciphers that is there on every machine.
class TestEngine {
 public:
  explicit TestEngine(const char* id) : engine_(ENGINE_new()) {
    ENGINE_set_id(engine_, id);
    ENGINE_set_name(engine_, "for the tests of aesgate");
    ENGINE_set_ciphers(engine_, ciphers);
    EXPECT_EQ(ENGINE_add(engine_), 1);
  }
  ~TestEngine() {
    ENGINE_unregister_ciphers(engine_);
    ENGINE_remove(engine_);
    ENGINE_free(engine_);
  }
  TestEngine(const TestEngine&) = delete;
  TestEngine& operator=(const TestEngine&) = delete;

  void serve_everybody() const { EXPECT_EQ(ENGINE_set_default_ciphers(engine_), 1); }

 private:
  // All but OFB.
  static const EVP_CIPHER* const* all() {
    static const std::array<const EVP_CIPHER*, 15> ciphers{
        EVP_aes_128_ecb(),  EVP_aes_192_ecb(),  EVP_aes_256_ecb(),    EVP_aes_128_cbc(),    EVP_aes_192_cbc(),
        EVP_aes_256_cbc(),  EVP_aes_128_cfb1(), EVP_aes_192_cfb1(),   EVP_aes_256_cfb1(),   EVP_aes_128_cfb8(),
        EVP_aes_192_cfb8(), EVP_aes_256_cfb8(), EVP_aes_128_cfb128(), EVP_aes_192_cfb128(), EVP_aes_256_cfb128()};
    return ciphers.data();
  }

  static int ciphers(ENGINE*, const EVP_CIPHER** cipher, const int** nids, int nid) {
    static const std::array<int, 15> known = [] {
      std::array<int, 15> list{};
      std::transform(all(), all() + list.size(), list.begin(), EVP_CIPHER_get_nid);
      return list;
    }();
    if (cipher == nullptr) {
      *nids = known.data();
      return static_cast<int>(known.size());
    }
    const auto found = std::ranges::find(known, nid);
    *cipher = found == known.end() ? nullptr : all()[found - known.begin()];
    return *cipher != nullptr;
  }

  ENGINE* engine_;
};

const aesgate_backend& variant(const std::string& options) {
  const Result<const aesgate_backend*> found = find_backend("openssl:" + options);
  if (!found) throw std::runtime_error(found.error().message);
  return **found;
}

std::string refusal(const std::string& options) {
  const Result<const aesgate_backend*> found = find_backend("openssl:" + options);
  return found ? fmt::format("{} was made", (*found)->name) : found.error().message;
}

Case message(const Shape& shape, std::size_t length) {
  Bytes bytes(bytes_for(shape.mode, length));
  std::uint8_t next = 1;
  for (std::uint8_t& byte : bytes) byte = next = static_cast<std::uint8_t>(next * 37 + 11);
  Key key(shape.key_size);
  for (std::uint8_t& byte : key.bytes()) byte = next = static_cast<std::uint8_t>(next * 37 + 11);
  return make_case(shape, std::move(key), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, bytes, length);
}

void expect_right(const aesgate_backend& backend, const Shape& shape) {
  SCOPED_TRACE(name(shape));
  Case c = message(shape, is_block_mode(shape.mode) ? 256 : 251);
  const Result<Answer> answer = ask(c);
  ASSERT_TRUE(answer) << answer.error().message;
  const std::vector<std::size_t> one_call{c.length};
  const std::vector<std::size_t> several = is_block_mode(shape.mode) ? std::vector<std::size_t>{16, 0, 7, 64, 176}
                                                                     : std::vector<std::size_t>{3, 0, 16, 61, 171};
  for (const bool in_place : {false, true}) {
    for (const auto& chunks : {one_call, several}) {
      c.placement.in_place = in_place;
      c.placement.input = c.placement.output = {Spot::Edge::end, 0};
      c.chunks = chunks;
      const Judgement judgement = judge(c, execute(backend, c), *answer);
      EXPECT_EQ(judgement.verdict, Verdict::agree) << backend.name << ": " << judgement.reason;
    }
  }
}

void expect_every_shape_right(const aesgate_backend& backend) {
  ASSERT_EQ(why_unavailable(backend), "");
  EXPECT_NE(backend.chaining_value, nullptr);
  for (const Shape& shape : all_shapes()) {
    ASSERT_TRUE(Session::supports(backend, shape)) << name(shape);
    expect_right(backend, shape);
  }
}

TEST(openssl, cipher_call_is_right) {
  const aesgate_backend& backend = variant("call=cipher");
  EXPECT_STREQ(backend.name, "openssl-cipher");
  EXPECT_STREQ(backend.description, "OpenSSL: EVP_Cipher()");
  expect_every_shape_right(backend);
}

TEST(openssl, provider_is_right) {
  const aesgate_backend& backend = variant("provider=default, call=cipher");
  EXPECT_STREQ(backend.name, "openssl-provider-default-cipher");
  EXPECT_STREQ(backend.description, "OpenSSL: EVP_Cipher(), provider default");
  expect_every_shape_right(backend);
}

TEST(openssl, engine_is_right_and_nothing_stands_in_for_what_it_lacks) {
  const TestEngine engine("aesgate.Test");
  const aesgate_backend& backend = variant("engine=aesgate.Test");
  EXPECT_STREQ(backend.name, "openssl-engine-aesgate_test");
  ASSERT_EQ(why_unavailable(backend), "");
  for (const Shape& shape : all_shapes()) {
    ASSERT_EQ(Session::supports(backend, shape), shape.mode != Mode::ofb) << name(shape);
    if (shape.mode != Mode::ofb) expect_right(backend, shape);
  }
}

// ENGINE_by_id() would have registered the engine for everybody.
TEST(openssl, an_engine_does_nothing_for_who_does_not_name_it) {
  const TestEngine engine("aesgate-apart");
  ASSERT_EQ(why_unavailable(variant("engine=aesgate-apart")), "");
  EXPECT_THAT(why_unavailable(variant("engine=no-such")), HasSubstr("cannot load"));
  EXPECT_EQ(ENGINE_get_cipher_engine(NID_aes_128_cbc), nullptr);
}

TEST(openssl, same_options_are_the_same_variant_and_others_have_another_name) {
  const TestEngine one("aesgate same");
  const TestEngine two("aesgate_same");
  const aesgate_backend& first = variant("engine=aesgate same");
  EXPECT_EQ(&first, &variant("engine=aesgate same"));
  const aesgate_backend& second = variant("engine=aesgate_same");
  EXPECT_NE(&first, &second);
  EXPECT_STREQ(first.name, "openssl-engine-aesgate_same");
  EXPECT_STREQ(second.name, "openssl-engine-aesgate_same-2");
}

TEST(openssl, what_cannot_be_loaded_is_unavailable_and_says_why) {
  EXPECT_THAT(why_unavailable(variant("engine=no-such")), HasSubstr("OpenSSL cannot load the engine no-such: "));
  EXPECT_THAT(why_unavailable(variant("provider=no-such")), HasSubstr("OpenSSL cannot load the provider no-such: "));
  EXPECT_THAT(why_unavailable(variant("provider=null")), HasSubstr("provider null has no AES in any of the modes"));
}

TEST(openssl, a_provider_is_unavailable_where_an_engine_would_do_its_work) {
  const TestEngine engine("aesgate-default");
  engine.serve_everybody();
  EXPECT_THAT(why_unavailable(variant("provider=default")), HasSubstr("an engine has AES in this OpenSSL"));
}

TEST(openssl, options_that_mean_nothing_are_refused_in_words) {
  const char* known = "known: engine=ID, provider=NAME, call=cipher";
  for (const char* options : {"", "engine", "engine=", "provider=", "call=init", "driver=x", "call=cipher,,"})
    EXPECT_THAT(refusal(options), HasSubstr(known)) << options;
  EXPECT_THAT(refusal("engine=a,provider=b"), HasSubstr("do not go together"));
}

TEST(openssl, a_reason_is_cut_to_the_size_it_may_have) {
  const Result<const aesgate_backend*> backend = find_backend("openssl");
  ASSERT_TRUE(backend);
  std::array<char, 16> reason;
  reason.fill('x');
  EXPECT_EQ((*backend)->configure(*backend, "nonsense", reason.data(), 12), nullptr);
  EXPECT_STREQ(reason.data(), "unknown opt");
  EXPECT_EQ(reason[12], 'x');
}

}  // namespace
}  // namespace aesgate::library
