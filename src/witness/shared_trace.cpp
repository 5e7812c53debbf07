#include "witness/shared_trace.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>

#include "witness/instruction.h"

namespace aesgate::witness {

struct SharedTrace::Head {
  std::size_t steps, entries;
  std::uint64_t undecoded;

  std::uint64_t* first() { return reinterpret_cast<std::uint64_t*>(this + 1); }
};

namespace {

/// What an instruction takes at most on average: one touches two places at most, apart from the few that gather.
constexpr std::size_t entries_a_step = 4;

std::size_t bytes_for_entries(std::size_t head, std::size_t entries) { return head + entries * sizeof(std::uint64_t); }

}  // namespace

SharedTrace::SharedTrace(std::size_t max_steps) : max_steps_(max_steps), max_entries_(max_steps * entries_a_step) {
  void* const memory = mmap(nullptr, bytes_for_entries(sizeof(Head), max_entries_), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  head_ = new (memory) Head{};
}

SharedTrace::~SharedTrace() { munmap(head_, bytes_for_entries(sizeof(Head), max_entries_)); }

bool SharedTrace::add(const Step& step) {
  const Instruction instruction = decode(step);
  if (!instruction.decoded()) {
    head_->undecoded = step.address;
    return false;
  }
  if (head_->steps == max_steps_ || head_->entries + 1 + instruction.address_count > max_entries_) return false;
  std::uint64_t* to = head_->first() + head_->entries;
  *to++ = step.address | instruction_mark;
  for (const std::uint64_t address : instruction.touched()) *to++ = address & ~instruction_mark;
  head_->entries += 1 + instruction.address_count;
  ++head_->steps;
  return true;
}

void SharedTrace::clear() { *head_ = {}; }

std::span<const std::uint64_t> SharedTrace::entries() const { return {head_->first(), head_->entries}; }

std::size_t SharedTrace::steps() const { return head_->steps; }

std::uint64_t SharedTrace::undecoded() const { return head_->undecoded; }

std::optional<Difference> first_difference(const SharedTrace& a, const SharedTrace& b) {
  constexpr std::uint64_t mark = SharedTrace::instruction_mark;
  const auto one = a.entries();
  const auto other = b.entries();
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
  if (at == one.size() && at == other.size()) return std::nullopt;
  const auto entry = [at](std::span<const std::uint64_t> entries) { return at < entries.size() ? entries[at] : mark; };
  const std::uint64_t first = entry(one);
  const std::uint64_t second = entry(other);
  std::size_t instruction = at;
  while (instruction > 0 && (one[instruction - 1] & mark) == 0) --instruction;
  const std::uint64_t before = instruction > 0 ? one[instruction - 1] & ~mark : 0;
  const bool both_instructions = (first & mark) != 0 && (second & mark) != 0;
  return Difference{both_instructions ? Difference::Kind::way : Difference::Kind::address, before, first & ~mark,
                    second & ~mark};
}

}  // namespace aesgate::witness
