#include "dalembert/study/variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/study/option_error.hpp"
#include "dalembert/study/random.hpp"

namespace dalembert::study {

namespace {

using expr::Failure;

struct Form {
  std::string_view name;
  Law law;
  std::size_t arguments;
  std::string_view shown;
};

constexpr std::array<Form, 5> forms = {{{"linspace", Law::linspace, 3, "linspace(a, b, n)"},
                                        {"logspace", Law::logspace, 3, "logspace(a, b, n)"},
                                        {"uniform", Law::uniform, 2, "uniform(a, b)"},
                                        {"loguniform", Law::loguniform, 2, "loguniform(a, b)"},
                                        {"normal", Law::normal, 2, "normal(mean, sd)"}}};
constexpr std::string_view expected =
    "expected a list as in [1, 2, 3], or linspace(a, b, n), logspace(a, b, n), uniform(a, b), "
    "loguniform(a, b), normal(mean, sd)";

/// A part of the option's text.
struct Piece {
  std::size_t begin, end;
};

Piece trimmed(std::string_view text, Piece piece) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (piece.begin < piece.end && blank(text[piece.begin])) ++piece.begin;
  while (piece.begin < piece.end && blank(text[piece.end - 1])) --piece.end;
  return piece;
}

/// Splits at the commas outside parentheses. Nothing at all has no parts.
std::vector<Piece> parts(std::string_view text, Piece whole) {
  std::vector<Piece> result;
  if (trimmed(text, whole).begin == trimmed(text, whole).end) return result;
  int depth = 0;
  std::size_t begin = whole.begin;
  for (std::size_t i = whole.begin; i < whole.end; ++i) {
    depth += text[i] == '(' ? 1 : (text[i] == ')' ? -1 : 0);
    if (text[i] != ',' || depth != 0) continue;
    result.push_back(trimmed(text, {begin, i}));
    begin = i + 1;
  }
  result.push_back(trimmed(text, {begin, whole.end}));
  return result;
}

class Reading {
 public:
  Reading(const std::string& text, const Number& number) : text_(text), number_(number) {}

  expr::Result<Variation, model::Diagnostic> run() {
    const auto name = varied_name(text_);
    if (!name) return Failure{name.error()};
    Variation variation;
    variation.name = expr::spelt_out(*name);
    const Piece spec = trimmed(text_, {text_.find('=') + 1, text_.size()});
    const bool fine = spec.begin < spec.end && text_[spec.begin] == '['
                          ? read_list(spec, variation)
                          : read_form(spec, variation);
    if (!fine) return Failure{wrong_};
    return variation;
  }

 private:
  bool fail(Piece where, const std::string& message) {
    wrong_ = option_error("--vary", text_, where.begin, where.end, message);
    return false;
  }

  std::string shown(Piece piece) const {
    return text_.substr(piece.begin, piece.end - piece.begin);
  }

  bool read_number(Piece where, double& target) {
    if (where.begin == where.end)
      return fail({where.begin, where.begin + 1}, "a number is missing here");
    if (const auto plain = decimal(where)) {
      target = *plain;
      return true;
    }
    const auto value =
        number_(std::string_view(text_).substr(where.begin, where.end - where.begin));
    if (!value) {
      const expr::ParseError& error = value.error();
      return fail({where.begin + error.begin, where.begin + error.end}, error.message);
    }
    if (!std::isfinite(*value)) return fail(where, "not a finite number");
    target = *value;
    return true;
  }

  /// The value of digits that stand alone, in a long list for instance: the same as by way of an
  /// expression, in a hundredth of the time.
  std::optional<double> decimal(Piece where) const {
    const char* begin = text_.data() + where.begin;
    const char* end = text_.data() + where.end;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!is_digit(begin[*begin == '-' && where.end - where.begin > 1 ? 1 : 0]) ||
        !is_digit(end[-1]))
      return std::nullopt;
    double value = 0;
    const auto [last, error] = std::from_chars(begin, end, value);
    // A zero has no sign in an expression.
    if (error != std::errc() || last != end || value == 0) return std::nullopt;
    return value;
  }

  bool read_list(Piece spec, Variation& variation) {
    const std::size_t close = text_.find(']', spec.begin);
    if (close >= spec.end) return fail({spec.begin, spec.begin + 1}, "'[' is never closed");
    if (close + 1 != spec.end) return fail({close + 1, spec.end}, "nothing may follow the list");
    const std::vector<Piece> items = parts(text_, {spec.begin + 1, close});
    if (items.empty()) return fail(spec, "the list is empty");
    for (const Piece item : items) {
      double value = 0;
      if (!read_number(item, value)) return false;
      variation.values.push_back(value);
    }
    variation.count = variation.values.size();
    return true;
  }

  bool read_form(Piece spec, Variation& variation) {
    const std::size_t open = text_.find('(', spec.begin);
    const bool is_call = open < spec.end && open > spec.begin && text_[spec.end - 1] == ')';
    const Piece name = trimmed(text_, {spec.begin, std::min(open, spec.end)});
    if (!is_call || !expr::is_name(shown(name))) return fail(spec, std::string(expected));
    const auto form = std::find_if(forms.begin(), forms.end(),
                                   [&](const Form& f) { return f.name == shown(name); });
    if (form == forms.end()) {
      std::vector<std::string> known;
      for (const Form& f : forms) known.emplace_back(f.name);
      const std::string meant = expr::did_you_mean(shown(name), known);
      return fail(name, fmt::format("no distribution '{}'{}", shown(name),
                                    meant.empty() ? fmt::format("; {}", expected) : meant));
    }
    const Piece inside{open + 1, spec.end - 1};
    const std::vector<Piece> items = parts(text_, inside);
    if (items.size() != form->arguments) {
      return fail(spec, fmt::format("{} takes {} numbers, not {}: {}", form->name, form->arguments,
                                    items.size(), form->shown));
    }
    variation.law = form->law;
    if (!read_number(items[0], variation.a) || !read_number(items[1], variation.b)) return false;
    const Piece ends{items[0].begin, items[1].end};
    if (is_random(variation)) return check_distribution(variation, ends, items[1]);
    return read_count(items[2], variation) && check_space(variation, ends);
  }

  bool read_count(Piece where, Variation& variation) {
    double count = 0;
    if (!read_number(where, count)) return false;
    if (!(count >= 1 && count <= static_cast<double>(most_runs)) || count != std::floor(count)) {
      return fail(where, fmt::format("the number of values must be a whole number from 1 to {}",
                                     most_runs));
    }
    variation.count = static_cast<std::uint64_t>(count);
    return true;
  }

  bool check_distribution(const Variation& v, Piece ends, Piece second) {
    if (v.law == Law::normal) {
      return v.b >= 0 || fail(second, "a standard deviation must not be negative");
    }
    if (v.a == v.b) return fail(ends, fmt::format("the range from {} to {} is empty", v.a, v.b));
    if (v.a > v.b) {
      return fail(ends, fmt::format("the range is empty: {} is more than {}", v.a, v.b));
    }
    return v.law == Law::uniform || positive_ends(v, ends);
  }

  bool check_space(const Variation& v, Piece ends) {
    if (v.a == v.b && v.count > 1)
      return fail(ends, fmt::format("the range from {} to {} is empty", v.a, v.b));
    return v.law == Law::linspace || positive_ends(v, ends);
  }

  bool positive_ends(const Variation& v, Piece ends) {
    return (v.a > 0 && v.b > 0) || fail(ends, "both ends must be positive: they have logarithms");
  }

  const std::string& text_;
  const Number& number_;
  model::Diagnostic wrong_;
};

/// Between a > 0 and b > 0 on a logarithmic scale, exact at the ends.
double between_logarithms(double a, double b, double part) {
  if (part == 0) return a;
  if (part == 1) return b;
  return std::clamp(std::exp(std::lerp(std::log(a), std::log(b), part)), std::min(a, b),
                    std::max(a, b));
}

}  // namespace

double grid_value(const Variation& v, std::uint64_t i) {
  if (v.law == Law::list) return v.values[i];
  if (i == 0) return v.a;
  if (i == v.count - 1) return v.b;
  const auto number = static_cast<double>(i);
  const auto last = static_cast<double>(v.count - 1);
  if (v.law == Law::logspace) return between_logarithms(v.a, v.b, number / last);
  const double offset = (v.b - v.a) * number / last;  // so that 0, 1, 2 come out as such
  return std::isfinite(offset) ? v.a + offset : std::lerp(v.a, v.b, number / last);
}

double drawn_value(const Variation& v, std::uint64_t seed, std::uint64_t run, std::uint32_t j) {
  if (v.law == Law::normal) return v.a + v.b * normal(seed, run, j);
  const double part = uniform(seed, run, j);
  return v.law == Law::uniform ? std::lerp(v.a, v.b, part) : between_logarithms(v.a, v.b, part);
}

std::uint64_t grid_size(std::span<const Variation> variations) {
  std::uint64_t size = 1;
  for (const Variation& v : variations) {
    if (!is_random(v)) size = std::min(size * v.count, most_runs + 1);
  }
  return size;
}

void values_of_run(std::span<const Variation> variations, std::uint64_t seed, std::uint64_t run,
                   std::span<double> values) {
  std::uint64_t rest = run % grid_size(variations);
  for (std::size_t j = variations.size(); j-- > 0;) {
    const Variation& v = variations[j];
    if (is_random(v)) {
      values[j] = drawn_value(v, seed, run, static_cast<std::uint32_t>(j));
    } else {
      values[j] = grid_value(v, rest % v.count);
      rest /= v.count;
    }
  }
}

std::string to_string(const Variation& v) {
  if (v.law == Law::list) return fmt::format("{} = [{}]", v.name, fmt::join(v.values, ", "));
  const auto form =
      std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.law == v.law; });
  const std::string count = is_random(v) ? "" : fmt::format(", {}", v.count);
  return fmt::format("{} = {}({}, {}{})", v.name, form->name, v.a, v.b, count);
}

expr::Result<std::string, model::Diagnostic> varied_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  const Piece name = trimmed(text, {0, std::min(equals, text.size())});
  if (equals == std::string::npos || name.begin == name.end) {
    return Failure{option_error("--vary", text, 0, text.size(),
                                "expected NAME=VALUES, as in theta=uniform(0.8, 1.4)")};
  }
  return text.substr(name.begin, name.end - name.begin);
}

expr::Result<Variation, model::Diagnostic> read_variation(const std::string& text,
                                                          const Number& number) {
  return Reading(text, number).run();
}

}  // namespace dalembert::study
