#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/aesgate_backend.h"
#include "core/result.h"
#include "core/shape.h"

namespace aesgate {

/// Effort: how many Cases. quick: under 15 s for one backend; normal: all backends under 60 s on two
/// cores; deep: an hour and more.
enum class Effort { quick, normal, deep };
[[nodiscard]] std::string_view name(Effort effort);
[[nodiscard]] Result<Effort> parse_effort(std::string_view text);

/// Plan: what a run was asked to do. The same plan makes the same Cases.
struct Plan {
  std::vector<const aesgate_backend*> backends;
  std::vector<Mode> modes{all_modes.begin(), all_modes.end()};
  std::vector<KeySize> key_sizes{all_key_sizes.begin(), all_key_sizes.end()};
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  std::filesystem::path vectors;  // the folder of the CAVP files

  /// By a backend's name, what `aesgate replay` must be told to find it, beside the file of a failure:
  /// " --plugin ./libmine.so". Most need nothing.
  std::map<std::string, std::string> replay_arguments;

  /// The shapes of one mode that the plan covers.
  [[nodiscard]] std::vector<Shape> shapes(Mode mode) const;
};

}  // namespace aesgate
