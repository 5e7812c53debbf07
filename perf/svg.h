#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace aesgate::svg {

/// `text` with what XML gives a meaning replaced, and what XML 1.0 does not allow left out.
[[nodiscard]] std::string escaped(std::string_view text);

/// <text> at a place; `more` are further attributes: text-anchor="end".
[[nodiscard]] std::string text(double x, double y, std::string_view words, std::string_view more = "");

/// A straight line of a class.
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view style_class);

/// A document of that size, with a background, the style sheet of all charts, a title for readers of screens, and
/// `body`.
[[nodiscard]] std::string document(double width, double height, std::string_view title, const std::string& body);

/// How the `number`th of several is drawn: class names of the style sheet ("c0 d1": colour and dashes) and a marker.
/// Neighbours differ in all three, and no two of the first 280 are alike.
struct Look {
  std::string classes;
  std::size_t colour, marker;
  [[nodiscard]] std::string colour_class() const { return fmt::format("c{}", colour); }  // of strokes
  [[nodiscard]] std::string fill_class() const { return fmt::format("f{}", colour); }
};
[[nodiscard]] Look look(std::size_t number);

/// The marker about a place.
[[nodiscard]] std::string marker(double x, double y, const Look& look);

/// Scale: from values to places, by their logarithms.
struct Scale {
  double from, to;            // values, above 0
  double at_from, at_to = 0;  // places
  [[nodiscard]] double operator()(double value) const;
};

/// The values 1, 2 and 5 times powers of ten that lie between the ends of a scale.
[[nodiscard]] std::vector<double> ticks(const Scale& scale);

/// Places in the order of `wanted`, which ascends, at least `gap` apart and between `least` and `most`: those with the
/// least sum of squared distances from what is wanted. More than fit there lie closer together, evenly.
[[nodiscard]] std::vector<double> pushed_apart(const std::vector<double>& wanted, double gap, double least,
                                               double most);

}  // namespace aesgate::svg
