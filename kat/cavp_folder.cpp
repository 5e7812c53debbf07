#include "kat/cavp_folder.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/cavp_file.h"
#include "core/text_file.h"

namespace aesgate {
namespace {

/// "CFB1" is the front of "CFB128" too: what follows the mode is the name of a test, a letter.
bool is_of_mode(std::string_view file, Mode mode) {
  const std::string_view front = name(mode);
  return file.starts_with(front) && file.size() > front.size() &&
         (file[front.size()] < '0' || file[front.size()] > '9');
}

/// The name in one line of sha256sum's: 64 digits, a blank, a blank or an asterisk, the name.
Result<std::string> file_of(std::string_view line, const TextReader& reader) {
  constexpr std::size_t digits = 64;
  const bool has_form = line.size() > digits + 2 && line[digits] == ' ' && from_hex(line.substr(0, digits));
  if (!has_form) return reader.error_here("\"{}\" is no line of sha256sum", excerpt(line));
  const std::string_view file = line.substr(digits + 2);
  if (file.find('/') != std::string_view::npos)
    return reader.error_here("{}: a file in another folder; only this one is read", excerpt(file));
  if (std::ranges::none_of(all_modes, [&](Mode mode) { return is_of_mode(file, mode); }))
    return reader.error_here("{}: the name begins with no mode, so nothing would read it", excerpt(file));
  return std::string(file);
}

Result<void> expect_nothing_else(const std::filesystem::path& folder, const std::vector<std::string>& listed) {
  const std::set<std::string> known(listed.begin(), listed.end());
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure))
    if (entry->path().extension() == ".rsp" && !known.contains(entry->path().filename().string()))
      return error("{}: not in {}; take it away, or add it to the list with sha256sum", entry->path().string(),
                   checksum_list);
  if (failure) return error("{}: {}", folder.string(), failure.message());
  return {};
}

}  // namespace

Result<std::vector<std::string>> list_vector_files(const std::filesystem::path& folder) {
  auto reader = TextReader::open(folder / checksum_list);
  if (!reader) return tl::unexpected(reader.error());
  std::vector<std::string> files;
  for (;;) {
    const auto line = reader->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    const auto file = file_of(**line, *reader);
    if (!file) return tl::unexpected(file.error());
    std::error_code ignored;
    if (!std::filesystem::exists(folder / *file, ignored))
      return error("{}: the file is missing, but {} lists it", (folder / *file).string(), checksum_list);
    if (std::ranges::find(files, *file) != files.end()) return reader->error_here("{}: the file is there twice", *file);
    files.push_back(*file);
  }
  if (files.empty()) return error("{}: it lists no file", reader->name());
  if (const auto complete = expect_nothing_else(folder, files); !complete) return tl::unexpected(complete.error());
  return files;
}

Result<std::vector<Case>> read_vectors(const std::filesystem::path& folder, Mode mode) {
  const auto files = list_vector_files(folder);
  if (!files) return tl::unexpected(files.error());
  std::vector<Case> all;
  std::array<std::size_t, shape_count> counts{};
  for (const std::string& file : *files) {
    if (!is_of_mode(file, mode)) continue;
    auto reader = TextReader::open(folder / file);
    if (!reader) return tl::unexpected(reader.error());
    auto cases = parse_cavp(*reader, file);
    if (!cases) return tl::unexpected(cases.error());
    for (Case& c : *cases) {
      ++counts[index(c.shape)];
      all.push_back(std::move(c));
    }
  }
  for (const Direction direction : all_directions)
    for (const KeySize key_size : all_key_sizes)
      if (const Shape shape{mode, direction, key_size}; counts[index(shape)] == 0)
        return error("{}: no vector for {}; restore the folder (kat/import_vectors.py)", folder.string(), name(shape));
  return all;
}

}  // namespace aesgate
