#pragma once

#include "abi/aesgate_backend.h"
#include "backends/register.h"
#include "core/cpu.h"
#include "modes/cbc.h"
#include "modes/cfb1.h"
#include "modes/cfb128.h"
#include "modes/cfb8.h"
#include "modes/ecb.h"
#include "modes/engine.h"
#include "modes/ofb.h"

// From an Engine (modes/engine.h) to an aesgate_backend with all shapes:
//
//     constexpr aesgate_backend backend = aesgate::adapt<Engine>("aesni", "instruction", "aes.xmm", "…");
//     AESGATE_REGISTER(backend);
//
// An Engine that needs CPU features lists them: `static constexpr Feature needs[] = {Feature::aes};`. Only the update
// functions and the key expansion are compiled in the Engine's file; all else is in adapter.cpp, so that nothing which
// runs before the features are known can hold an instruction that needs them.

namespace aesgate {

/// EngineTable: what adapter.cpp knows of an Engine. Key sizes in the order 128, 192, 256.
struct EngineTable {
  aesgate_update_fn update[6][2][3];                          // by mode, direction, key size
  void (*expand[2][3])(void* keys, const std::uint8_t* key);  // for the cipher, and for its inverse
  std::size_t keys_size[3];
  const Feature* needs;
  std::size_t need_count;
  unsigned rank;  // among the forms of a backend (backends/forms.h), the higher the better
};

namespace adapter {

int probe(const aesgate_backend* self, char* reason, std::size_t size);
aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape);
std::size_t context_size(const aesgate_backend* self, const aesgate_shape* shape);
int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv);
int restart(void* context, const std::uint8_t* iv);
int chaining_value(const void* context, std::uint8_t iv[16]);
void finish(void* context);

/// The same for a backend that this architecture cannot have: its data is the reason.
int probe_elsewhere(const aesgate_backend* self, char* reason, std::size_t size);
aesgate_update_fn update_for_elsewhere(const aesgate_backend* self, const aesgate_shape* shape);
std::size_t context_size_elsewhere(const aesgate_backend* self, const aesgate_shape* shape);
int start_elsewhere(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
                    const std::uint8_t* iv);

}  // namespace adapter

template <typename Engine, unsigned Rounds>
void expand_encrypt(void* keys, const std::uint8_t* key) {
  Engine::expand_encrypt(*static_cast<typename Engine::template Keys<Rounds>*>(keys), key);
}

template <typename Engine, unsigned Rounds>
void expand_decrypt(void* keys, const std::uint8_t* key) {
  Engine::expand_decrypt(*static_cast<typename Engine::template Keys<Rounds>*>(keys), key);
}

template <typename Engine>
constexpr EngineTable make_table() {
  EngineTable table{
      .update =
          {{{Ecb<Engine, 10, false>::update, Ecb<Engine, 12, false>::update, Ecb<Engine, 14, false>::update},
            {Ecb<Engine, 10, true>::update, Ecb<Engine, 12, true>::update, Ecb<Engine, 14, true>::update}},
           {{CbcEncrypt<Engine, 10>::update, CbcEncrypt<Engine, 12>::update, CbcEncrypt<Engine, 14>::update},
            {CbcDecrypt<Engine, 10>::update, CbcDecrypt<Engine, 12>::update, CbcDecrypt<Engine, 14>::update}},
           {{Cfb1Encrypt<Engine, 10>::update, Cfb1Encrypt<Engine, 12>::update, Cfb1Encrypt<Engine, 14>::update},
            {Cfb1Decrypt<Engine, 10>::update, Cfb1Decrypt<Engine, 12>::update, Cfb1Decrypt<Engine, 14>::update}},
           {{Cfb8Encrypt<Engine, 10>::update, Cfb8Encrypt<Engine, 12>::update, Cfb8Encrypt<Engine, 14>::update},
            {Cfb8Decrypt<Engine, 10>::update, Cfb8Decrypt<Engine, 12>::update, Cfb8Decrypt<Engine, 14>::update}},
           {{Cfb128<Engine, 10, false>::update, Cfb128<Engine, 12, false>::update, Cfb128<Engine, 14, false>::update},
            {Cfb128<Engine, 10, true>::update, Cfb128<Engine, 12, true>::update, Cfb128<Engine, 14, true>::update}},
           {{Ofb<Engine, 10>::update, Ofb<Engine, 12>::update, Ofb<Engine, 14>::update},
            {Ofb<Engine, 10>::update, Ofb<Engine, 12>::update, Ofb<Engine, 14>::update}}},
      .expand = {{expand_encrypt<Engine, 10>, expand_encrypt<Engine, 12>, expand_encrypt<Engine, 14>},
                 {expand_decrypt<Engine, 10>, expand_decrypt<Engine, 12>, expand_decrypt<Engine, 14>}},
      .keys_size = {sizeof(typename Engine::template Keys<10>), sizeof(typename Engine::template Keys<12>),
                    sizeof(typename Engine::template Keys<14>)},
      .needs = nullptr,
      .need_count = 0,
      .rank = 0,
  };
  if constexpr (requires { Engine::needs; }) {
    table.needs = Engine::needs;
    table.need_count = sizeof(Engine::needs) / sizeof(Engine::needs[0]);
  }
  if constexpr (requires { Engine::rank; }) table.rank = Engine::rank;
  return table;
}

template <typename Engine>
constexpr EngineTable table_of = make_table<Engine>();

template <typename Engine>
constexpr aesgate_backend adapt(const char* name, const char* kind, const char* unit, const char* description) {
  return {
      .abi_version = AESGATE_ABI_VERSION,
      .struct_size = sizeof(aesgate_backend),
      .name = name,
      .kind = kind,
      .unit = unit,
      .description = description,
      .data = &table_of<Engine>,
      .configure = nullptr,
      .probe = adapter::probe,
      .update_for = adapter::update_for,
      .context_size = adapter::context_size,
      .context_align = alignof(ContextHead),
      .start = adapter::start,
      .restart = adapter::restart,
      .chaining_value = adapter::chaining_value,
      .finish = adapter::finish,
  };
}

/// AESGATE_ELSEWHERE(name, kind, unit, description, reason): the backend in a build for an architecture that lacks
/// the instructions: it is listed, has all shapes, and is unavailable for this reason.
#define AESGATE_ELSEWHERE(name, kind, unit, description, reason)                                 \
  static constexpr aesgate_backend aesgate_elsewhere{AESGATE_ABI_VERSION,                        \
                                                     sizeof(aesgate_backend),                    \
                                                     name,                                       \
                                                     kind,                                       \
                                                     unit,                                       \
                                                     description,                                \
                                                     reason,                                     \
                                                     nullptr,                                    \
                                                     ::aesgate::adapter::probe_elsewhere,        \
                                                     ::aesgate::adapter::update_for_elsewhere,   \
                                                     ::aesgate::adapter::context_size_elsewhere, \
                                                     alignof(::aesgate::ContextHead),            \
                                                     ::aesgate::adapter::start_elsewhere,        \
                                                     ::aesgate::adapter::restart,                \
                                                     ::aesgate::adapter::chaining_value,         \
                                                     ::aesgate::adapter::finish};                \
  AESGATE_REGISTER(aesgate_elsewhere)

}  // namespace aesgate
