#pragma once

#include "modes/engine.h"

namespace aesgate {

/// The greatest power of two below n, for n above 1. For constants only (clang 14 takes no consteval here).
constexpr unsigned power_of_two_below(unsigned n) {
  unsigned power = 1;
  while (2 * power < n) power *= 2;
  return power;
}

/// Calls step.operator()<Width, N>(at, count) until `blocks` blocks are done: in_flight vectors of the Widest as long
/// as there are that many blocks, then once, where they are needed, ever smaller powers of two of them, down to one
/// block. `at` is the first block of a step and `count` how many there are: N * Width::lanes, or fewer in the last
/// step of an engine whose `smallest` is above 1.
template <typename Width, unsigned N, typename Step>
[[gnu::always_inline]] inline void descend(std::size_t at, std::size_t blocks, Step& step) {
  constexpr unsigned span = N * Width::lanes;
  if constexpr (N == Width::in_flight) {
    for (; blocks - at >= span; at += span) step.template operator()<Width, N>(at, span);
  } else if (((blocks - at) & span) != 0) {  // fewer than 2 * span are left
    step.template operator()<Width, N>(at, span);
    at += span;
  }
  if constexpr (N > Width::smallest) {
    constexpr unsigned next = power_of_two_below(N);
    descend<Width, (next > Width::smallest ? next : Width::smallest)>(at, blocks, step);
  } else if constexpr (Width::lanes > 1) {
    using Narrower = typename Width::Narrower;
    constexpr unsigned next = power_of_two_below(span) / Narrower::lanes;
    constexpr unsigned least = next > Narrower::smallest ? next : Narrower::smallest;
    descend<Narrower, (least < Narrower::in_flight ? least : Narrower::in_flight)>(at, blocks, step);
  } else if constexpr (Width::smallest > 1) {
    if (at < blocks) step.template operator()<Width, N>(at, static_cast<unsigned>(blocks - at));
  }
}

template <typename Engine, typename Step>
[[gnu::always_inline]] inline void in_parallel(std::size_t blocks, Step step) {
  using Widest = typename Engine::Widest;
  if (blocks == 1) {  // the call of one block is worth a way without the ladder's tests
    step.template operator()<typename Engine::Single, 1>(0, 1);
    return;
  }
  descend<Widest, Widest::in_flight>(0, blocks, step);
}

/// x[i] = input(i) with the first round key added, for the vectors of a step that hold any of its `count` blocks, and
/// zero for the others.
template <typename Width, unsigned N, typename Keys, typename Input>
[[gnu::always_inline]] inline void begin_step(const Keys& keys, typename Width::Vector (&x)[N], unsigned count,
                                              Input input) {
  const typename Width::Vector first = Width::first_key(keys);
  each<N>([&](unsigned i) __attribute__((always_inline)) {
    x[i] = i * Width::lanes < count ? Width::exclusive_or(input(i), first) : Width::exclusive_or(first, first);
  });
}

/// output(i, x[i]) for the same vectors.
template <typename Width, unsigned N, typename Output>
[[gnu::always_inline]] inline void end_step(typename Width::Vector (&x)[N], unsigned count, Output output) {
  each<N>([&](unsigned i) __attribute__((always_inline)) {
    if (i * Width::lanes < count) output(i, x[i]);
  });
}

}  // namespace aesgate
