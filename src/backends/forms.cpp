#include "backends/forms.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/registry.h"

namespace aesgate::forms {
namespace {

unsigned rank(const aesgate_backend& form) { return static_cast<const EngineTable*>(form.data)->rank; }

/// "avx512" of the form "bitslice-avx512" of "bitslice"; empty if it is not one of this backend's.
std::string_view form_name(const aesgate_backend& self, const aesgate_backend& form) {
  const std::string_view name = form.name;
  const std::string_view of = self.name;
  return name.size() > of.size() && name.substr(0, of.size()) == of && name[of.size()] == '-'
             ? name.substr(of.size() + 1)
             : std::string_view();
}

/// The best form that can run here; if there is none, the one that needs least, whose probe() then says why.
const aesgate_backend& best(const aesgate_backend& self) {
  const aesgate_backend* found = nullptr;
  bool runs = false;
  for (const aesgate_backend* form : built_in_forms()) {
    if (form_name(self, *form).empty()) continue;
    const bool form_runs = form->probe(form, nullptr, 0) == AESGATE_OK;
    const bool better = found == nullptr || (form_runs != runs ? form_runs : (rank(*form) > rank(*found)) == form_runs);
    if (!better) continue;
    found = form;
    runs = form_runs;
  }
  return *found;
}

void explain(const std::string& why, char* reason, std::size_t size) {
  if (size == 0) return;
  const std::size_t length = std::min(why.size(), size - 1);
  std::memcpy(reason, why.data(), length);
  reason[length] = '\0';
}

}  // namespace

const aesgate_backend* configure(const aesgate_backend* self, const char* options, char* reason, std::size_t size) {
  const std::string_view text = options;
  const std::string_view key = "form=";
  std::string known;
  for (const aesgate_backend* form : built_in_forms()) {
    const std::string_view name = form_name(*self, *form);
    if (name.empty()) continue;
    if (text.substr(0, key.size()) == key && text.substr(key.size()) == name) return form;
    known += fmt::format("{}form={}", known.empty() ? "" : ", ", name);
  }
  explain(fmt::format("unknown option \"{}\"; known: {}", text, known), reason, size);
  return nullptr;
}

int probe(const aesgate_backend* self, char* reason, std::size_t size) {
  const aesgate_backend& form = best(*self);
  return form.probe(&form, reason, size);
}

aesgate_update_fn update_for(const aesgate_backend* self, const aesgate_shape* shape) {
  const aesgate_backend& form = best(*self);
  return form.update_for(&form, shape);
}

std::size_t context_size(const aesgate_backend* self, const aesgate_shape* shape) {
  const aesgate_backend& form = best(*self);
  return form.context_size(&form, shape);
}

int start(const aesgate_backend* self, void* context, const aesgate_shape* shape, const std::uint8_t* key,
          const std::uint8_t* iv) {
  const aesgate_backend& form = best(*self);
  return form.start(&form, context, shape, key, iv);
}

}  // namespace aesgate::forms
