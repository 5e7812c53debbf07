#pragma once

#include "modes/engine.h"

namespace aesgate {

/// Calls step.operator()<Width, N>(at, count) until `blocks` blocks are done: in_flight vectors of the Widest as long
/// as there are that many blocks, then half as many, and so on down to one block. `at` is the first block of
/// a step and `count` how many there are: N * Width::lanes, or fewer in the last step of an engine whose `smallest`
/// is above 1.
template <typename Width, unsigned N, typename Step>
[[gnu::always_inline]] inline void descend(std::size_t at, std::size_t blocks, Step& step) {
  constexpr unsigned span = N * Width::lanes;
  if constexpr (N == Width::in_flight) {
    for (; blocks - at >= span; at += span) step.template operator()<Width, N>(at, span);
  } else if ((blocks & span) != 0) {  // fewer than 2 * span are left
    step.template operator()<Width, N>(at, span);
    at += span;
  }
  if constexpr (N > Width::smallest) {
    descend<Width, N / 2>(at, blocks, step);
  } else if constexpr (Width::lanes > 1) {
    using Narrower = typename Width::Narrower;
    constexpr unsigned half = span / 2 / Narrower::lanes;
    descend<Narrower, (half > Narrower::smallest ? half : Narrower::smallest)>(at, blocks, step);
  } else if constexpr (Width::smallest > 1) {
    if (at < blocks) step.template operator()<Width, N>(at, static_cast<unsigned>(blocks - at));
  }
}

template <typename Engine, typename Step>
[[gnu::always_inline]] inline void in_parallel(std::size_t blocks, Step step) {
  using Widest = typename Engine::Widest;
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
