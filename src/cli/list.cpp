#include <unistd.h>
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/reports.h"
#include "core/cpu_mask_note.h"
#include "core/registry.h"
#include "core/session.h"
#include "emulator/emulator.h"
#include "report/json_head.h"
#include "report/text_table.h"

namespace aesgate {
namespace {

using Json = nlohmann::ordered_json;

struct ListOptions {
  BackendOptions backends;
  std::vector<std::string> emulated;
  std::string json;
};

std::vector<Shape> supported_shapes(const aesgate_backend& backend) {
  std::vector<Shape> shapes;
  std::ranges::copy_if(all_shapes(), std::back_inserter(shapes),
                       [&](const Shape& shape) { return Session::supports(backend, shape); });
  return shapes;
}

/// "ECB, CBC, CFB1 (128, 192, 256 bits, encrypt, decrypt); OFB (128 bits, encrypt)": the modes grouped by what they
/// have.
std::string shapes_text(const std::vector<Shape>& shapes) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> groups;
  for (const Mode mode : all_modes) {
    std::vector<std::string> parts;
    for (const Direction direction : all_directions) {
      std::vector<std::size_t> sizes;
      for (const Shape& shape : shapes)
        if (shape.mode == mode && shape.direction == direction) sizes.push_back(bits(shape.key_size));
      if (!sizes.empty()) parts.push_back(fmt::format("{} {}", name(direction), fmt::join(sizes, "/")));
    }
    if (parts.empty()) continue;
    const std::string what = fmt::format("{}", fmt::join(parts, ", "));
    auto group = std::ranges::find(groups, what, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(group, {what, {}});
    group->second.push_back(name(mode));
  }
  std::vector<std::string> texts;
  for (const auto& [what, modes] : groups) texts.push_back(fmt::format("{}: {}", fmt::join(modes, " "), what));
  return texts.empty() ? "no shape at all" : fmt::format("{}", fmt::join(texts, "; "));
}

std::string to_text(const std::vector<const aesgate_backend*>& backends, bool colour) {
  std::string text;
  for (const aesgate_backend* backend : backends) {
    const std::string why = why_unavailable(*backend);
    text += fmt::format("{:<14}  {}, unit {}: {}\n", backend->name, backend->kind, backend->unit,
                        why.empty() ? painted(emulator::is_emulated(*backend) ? "available (emulated)" : "available",
                                              Tone::good, colour)
                                    : painted("unavailable", Tone::bad, colour));
    const std::string indent(16, ' ');
    if (!why.empty()) text += wrapped(indent, why);
    if (const std::string note = note_on_cpu_mask(*backend); !note.empty()) text += wrapped(indent, note);
    text += wrapped(indent, backend->description);
    if (const std::string remark = remark_on(*backend); !remark.empty()) text += wrapped(indent, remark);
    text += wrapped(indent, shapes_text(supported_shapes(*backend))) + '\n';
  }
  const auto available = std::ranges::count_if(backends, [](const auto* b) { return why_unavailable(*b).empty(); });
  return text + fmt::format("{} of {} backends can run on this machine: {}\n", available, backends.size(),
                            describe_host().cpu);
}

/// {… json_head() …, "backends": [{"name", "kind", "unit", "description", "available", "reason",
/// "remark", "emulated", "cpu_mask", "shapes": [{"mode", "direction", "key_bits"}]}]}
std::string to_json(const std::vector<const aesgate_backend*>& backends) {
  Json report = json_head("list", describe_host());
  report["backends"] = Json::array();
  for (const aesgate_backend* backend : backends) {
    const std::string why = why_unavailable(*backend);
    Json shapes = Json::array();
    for (const Shape& shape : supported_shapes(*backend))
      shapes.push_back(
          {{"mode", name(shape.mode)}, {"direction", name(shape.direction)}, {"key_bits", bits(shape.key_size)}});
    report["backends"].push_back({{"name", backend->name},
                                  {"kind", backend->kind},
                                  {"unit", backend->unit},
                                  {"description", backend->description},
                                  {"available", why.empty()},
                                  {"reason", why},
                                  {"remark", remark_on(*backend)},
                                  {"emulated", emulator::is_emulated(*backend)},
                                  {"cpu_mask", note_on_cpu_mask(*backend)},
                                  {"shapes", std::move(shapes)}});
  }
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<int> list(const ListOptions& options) {
  if (const auto started = start_emulators(options.emulated); !started) return tl::unexpected(started.error());
  const auto known = Backends::load(options.backends);
  if (!known) return tl::unexpected(known.error());
  const auto backends = known->chosen();
  if (!backends) return tl::unexpected(backends.error());
  if (const auto file = check_report_file("--json", options.json); !file) return tl::unexpected(file.error());
  if (options.json != "-")
    if (const auto printed = print(to_text(*backends, wants_colour(STDOUT_FILENO))); !printed)
      return tl::unexpected(printed.error());
  if (!options.json.empty())
    if (const auto wrote = write_report("--json", options.json, to_json(*backends)); !wrote)
      return tl::unexpected(wrote.error());
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "Every backend: what it is, what it can do, and if it can run here");
  command->footer(
      "Examples:\n"
      "  aesgate list\n"
      "  aesgate list --backend aesni --json -    one backend, as JSON on standard output");
  const auto options = std::make_shared<ListOptions>();
  add_backend_options(*command, options->backends);
  add_emulate_option(*command, options->emulated);
  add_json_option(*command, options->json);
  command->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace aesgate
