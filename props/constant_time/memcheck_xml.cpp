#include "props/constant_time/memcheck_xml.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace aesgate::constant_time {
namespace {

using witness::CodePlace;

/// "0x10914A", in upper case or not.
std::uint64_t address_of(const pugi::xml_node& frame) {
  std::string_view text = frame.child_value("ip");
  std::uint64_t address = 0;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), address, 16);
  return address;
}

CodePlace place_of_frame(const pugi::xml_node& frame, const KnownPlaces& known) {
  CodePlace place;
  place.function = witness::short_name(frame.child_value("fn"));
  place.file = frame.child_value("file");
  place.file = witness::last_component(place.file);
  place.line = frame.child("line").text().as_uint();
  if (const auto found = known.find(address_of(frame)); place.line == 0 && found != known.end()) return found->second;
  const std::string object = frame.child_value("obj");
  if (!object.empty()) place.object = fmt::format("{} at {}", witness::last_component(object), frame.child_value("ip"));
  return place;
}

/// The innermost frame whose line is known, or the innermost: a leak in a function of the C library is named where it
/// was called.
CodePlace place_of_stack(const pugi::xml_node& stack, const KnownPlaces& known) {
  for (const pugi::xml_node& frame : stack.children("frame"))
    if (CodePlace place = place_of_frame(frame, known); place.line != 0) return place;
  return place_of_frame(stack.child("frame"), known);
}

/// Where an undefined value came from, as --track-origins=yes tells: "… was created by a client request".
std::string_view origin_of(const pugi::xml_node& error) { return error.child_value("auxwhat"); }

void add(std::vector<Leak>& leaks, Leak leak) {
  const auto same = [&](const Leak& known) {
    return known.what == leak.what && known.place.function == leak.place.function &&
           known.place.file == leak.place.file && known.place.line == leak.place.line &&
           (leak.place.line != 0 || known.place.object == leak.place.object);
  };
  if (std::ranges::none_of(leaks, same)) leaks.push_back(std::move(leak));
}

void add_error(const pugi::xml_node& error, const KnownPlaces& known, MemcheckReport& report) {
  const std::string_view kind = error.child_value("kind");
  const CodePlace place = place_of_stack(error.child("stack"), known);
  const bool decides = kind == "UninitCondition" || kind == "UninitValue";
  if (origin_of(error).find("client request") != std::string_view::npos) {
    const char* const what = !decides                    ? "what is secret goes to a system call"
                             : kind == "UninitCondition" ? "a jump or conditional move depends on what is secret"
                                                         : "an address depends on what is secret";
    return add(report.secret, {place, what, 0});
  }
  if (decides && origin_of(error).empty())
    return add(report.unclear, {place, "something undefined decides, and valgrind does not know from where", 0});
  std::string what = error.child_value("what");
  if (what.empty()) what = error.child("xwhat").child_value("text");
  add(report.other, {place, fmt::format("{} ({})", what, kind), 0});
}

/// Of no line in particular is some code that a compiler made for several: where its function leaks at a known one,
/// that says all.
void leave_out_twins_without_line(std::vector<Leak>& leaks) {
  const std::vector<Leak> all = leaks;
  std::erase_if(leaks, [&](const Leak& leak) {
    const auto says_more = [&](const Leak& other) {
      return other.place.line != 0 && other.place.function == leak.place.function;
    };
    return leak.place.line == 0 && !leak.place.function.empty() && std::ranges::any_of(all, says_more);
  });
}

}  // namespace

Result<MemcheckReport> parse_memcheck_xml(std::string_view xml, const KnownPlaces& known) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) return error("valgrind's report cannot be read: {}, at byte {}", parsed.description(), parsed.offset);
  const pugi::xml_node root = document.child("valgrindoutput");
  if (std::string_view(root.child_value("protocoltool")) != "memcheck")
    return error("valgrind's report is none of memcheck");
  MemcheckReport report;
  for (const pugi::xml_node& error : root.children("error")) add_error(error, known, report);
  leave_out_twins_without_line(report.secret);
  return report;
}

std::set<std::uint64_t> addresses_without_line(std::string_view xml) {
  std::set<std::uint64_t> addresses;
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return addresses;
  for (const pugi::xml_node& error : document.child("valgrindoutput").children("error"))
    for (const pugi::xml_node& frame : error.child("stack").children("frame"))
      if (frame.child("line").text().as_uint() == 0) addresses.insert(address_of(frame));
  return addresses;
}

}  // namespace aesgate::constant_time
