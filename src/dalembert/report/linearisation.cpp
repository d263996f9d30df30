#include "dalembert/report/linearisation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "dalembert/report/csv.hpp"
#include "dalembert/report/layout.hpp"

namespace dalembert::report {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson rows_of(const Eigen::MatrixXd& matrix) {
  OrderedJson rows = OrderedJson::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    OrderedJson row = OrderedJson::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

OrderedJson complex_of(const std::complex<double>& z) {
  return OrderedJson::array({z.real(), z.imag()});
}

OrderedJson by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
  OrderedJson object = OrderedJson::object();
  for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = values[i];
  return object;
}

std::string steadiness_name(study::Steadiness steadiness) {
  switch (steadiness) {
    case study::Steadiness::equilibrium:
      return "equilibrium";
    case study::Steadiness::steady_motion:
      return "steady motion";
    case study::Steadiness::moving:
      return "not steady";
  }
  return {};
}

std::string short_value(double x) {
  return fmt::format("{:.9g}", x == 0 ? 0.0 : x);
}

/// The states that take a notable part in a mode.
std::string mode_text(const study::Linearisation& linear, Eigen::Index i) {
  constexpr double notable = 0.05;
  std::vector<std::string> parts;
  for (Eigen::Index s = 0; s < linear.spectrum.modes.rows(); ++s) {
    const double size = std::abs(linear.spectrum.modes(s, i));
    if (size >= notable)
      parts.push_back(fmt::format("{} {:.2g}", linear.states[static_cast<std::size_t>(s)], size));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What a zero eigenvalue comes from.
std::string zero_text(const study::Linearisation& linear, std::size_t i) {
  std::vector<std::string> names;
  for (const Eigen::Index s : linear.spectrum.blocks[i])
    names.push_back(linear.states[static_cast<std::size_t>(s)]);
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  switch (linear.spectrum.zeros[i]) {
    case study::ZeroKind::none:
      return {};
    case study::ZeroKind::ignored:
      return list.back() == '\'' ? list + " acts on nothing else"
                                 : list + " is cyclic: wherever it is, the rest is the same";
    case study::ZeroKind::constant:
      return list.back() == '\'' ? list + " is kept: each of its values belongs to a steady motion"
                                 : list + " stays where it is";
    case study::ZeroKind::family:
      return list + " change together along a family of steady motions, or a symmetry";
  }
  return {};
}

OrderedJson zero_json(const study::Linearisation& linear, std::size_t i) {
  const std::string text = zero_text(linear, i);
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

}  // namespace

std::vector<std::string> linearisation_notes(const study::Linearisation& linear) {
  std::vector<std::string> notes;
  if (linear.varies)
    notes.emplace_back(
        linear.depends_on_time
            ? "the linearisation changes with time: these eigenvalues are those of one instant and "
              "do not decide stability"
            : "the linearisation changes along the motion: these eigenvalues are those of one "
              "instant and do not decide stability");
  if (linear.steadiness == study::Steadiness::moving)
    notes.emplace_back("the motion is not steady there: the eigenvalues are those of one instant");
  for (const std::string& kink : linear.kinks)
    notes.push_back(fmt::format(
        "{} has a kink at this state: its derivative there is the mean of both sides", kink));
  return notes;
}

std::string linearisation_json(const motion::Motion& motion, const study::Linearisation& linear) {
  const auto& names = motion.model().coordinates;
  OrderedJson document;
  document["point"] = {{"t", linear.point.t},
                       {"q", by_name(names, linear.point.q)},
                       {"v", by_name(names, linear.point.v)}};
  document["kind"] = steadiness_name(linear.steadiness);
  document["varies"] = linear.varies;
  document["states"] = linear.states;
  document["inputs"] = linear.inputs;
  document["outputs"] = linear.outputs;
  document["A"] = rows_of(linear.A);
  document["B"] = rows_of(linear.B);
  document["C"] = rows_of(linear.C);
  document["D"] = rows_of(linear.D);
  document["eigenvalues"] = OrderedJson::array();
  document["conditions"] = OrderedJson::array();
  document["modes"] = OrderedJson::array();
  document["zeros"] = OrderedJson::array();
  for (Eigen::Index i = 0; i < linear.spectrum.values.size(); ++i) {
    document["eigenvalues"].push_back(complex_of(linear.spectrum.values[i]));
    document["conditions"].push_back(linear.spectrum.conditions[i]);
    OrderedJson mode = OrderedJson::array();
    for (const auto& z : linear.spectrum.modes.col(i)) mode.push_back(complex_of(z));
    document["modes"].push_back(std::move(mode));
    document["zeros"].push_back(zero_json(linear, static_cast<std::size_t>(i)));
  }
  document["notes"] = linearisation_notes(linear);
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string linearisation_headline(const motion::Motion& motion,
                                   const study::Linearisation& linear) {
  std::string text =
      fmt::format("{} · {} · {}", motion.model().name, steadiness_name(linear.steadiness),
                  count(linear.states.size(), "state"));
  if (!linear.inputs.empty()) text += " · " + count(linear.inputs.size(), "input");
  if (!linear.outputs.empty()) text += " · " + count(linear.outputs.size(), "output");
  return text;
}

namespace {

/// Eigenvalues are known to rounding of the largest.
double rounding_of(const study::Linearisation& linear) {
  const auto& values = linear.spectrum.values;
  return values.size() > 0 ? 1e-12 * values.cwiseAbs().maxCoeff() : 0;
}

}  // namespace

std::vector<ModeLine> mode_lines(const study::Linearisation& linear) {
  const double rounding = rounding_of(linear);
  std::vector<ModeLine> lines;
  for (Eigen::Index i = 0; i < linear.spectrum.values.size(); ++i) {
    std::complex<double> z = linear.spectrum.values[i];
    if (std::abs(z.real()) <= rounding) z.real(0);
    if (z.imag() < 0) continue;  // its conjugate stands above
    ModeLine line{i,
                  z,
                  {},
                  {},
                  linear.spectrum.conditions[i],
                  zero_text(linear, static_cast<std::size_t>(i))};
    if (line.about.empty()) line.about = mode_text(linear, i);
    if (z.imag() != 0) {
      line.frequency = z.imag() / (2 * std::numbers::pi);
      line.damping = 0.0 - z.real() / std::abs(z);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string stability_verdict(const study::Linearisation& linear) {
  if (linear.varies || linear.steadiness == study::Steadiness::moving) return {};
  const double rounding = rounding_of(linear);
  std::size_t unstable = 0;
  bool borders = false;
  for (const auto& z : linear.spectrum.values) {
    if (z.real() > rounding) ++unstable;
    borders = borders || std::abs(z.real()) <= rounding;
  }
  if (unstable > 0)
    return fmt::format("unstable: {} with a positive real part", count(unstable, "eigenvalue"));
  return borders ? "no eigenvalue has a positive real part; those on the imaginary axis leave "
                   "stability open"
                 : "asymptotically stable: all eigenvalues have negative real parts";
}

std::string linearisation_text(const motion::Motion& motion, const study::Linearisation& linear) {
  const auto& names = motion.model().coordinates;
  std::string text = linearisation_headline(motion, linear) + "\n";
  std::vector<std::vector<std::string>> rows{{"point", "", ""}};
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({"  " + names[i], short_value(linear.point.q[i]),
                    linear.point.v[i] == 0
                        ? ""
                        : fmt::format("{}' = {}", names[i], short_value(linear.point.v[i]))});
  text += table(rows, "");
  text += "\n";
  rows = {{"eigenvalue", "", "frequency", "damping", "condition", ""}};
  for (const ModeLine& line : mode_lines(linear)) {
    const std::complex<double> z = line.eigenvalue;
    rows.push_back({fmt::format("  {:.12g}", z.real()),
                    z.imag() == 0 ? "" : fmt::format("± {:.12g} i", z.imag()),
                    line.frequency ? fmt::format("{:.6g} Hz", *line.frequency) : "",
                    line.damping ? fmt::format("{:.4g}", *line.damping) : "",
                    std::isfinite(line.condition) ? brief(line.condition, 2) : "defective",
                    line.about});
  }
  // The last column reads from the left.
  std::size_t widest = 0;
  for (const auto& line : rows) widest = std::max(widest, width(line.back()));
  for (auto& line : rows) line.back() = left(line.back(), widest);
  text += table(rows, "");
  if (const std::string verdict = stability_verdict(linear); !verdict.empty())
    text += "\n" + verdict + "\n";
  for (const std::string& note : linearisation_notes(linear)) text += "note: " + note + "\n";
  return text;
}

std::string kind_words(const std::string& kind) {
  if (kind == "hopf") return "Hopf point: a pair of eigenvalues crosses the imaginary axis";
  if (kind == "crossing") return "a real eigenvalue passes zero: branches may meet";
  if (kind == "fold") return "fold: the branch turns back";
  return kind;
}

namespace {

std::string stability(const study::BranchPoint& point) {
  return point.unstable == 0
             ? "no unstable eigenvalue"
             : count(static_cast<std::size_t>(point.unstable), "unstable eigenvalue");
}

/// Not a number where all eigenvalues are zero.
double largest_real(const study::BranchPoint& point) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const auto& z : point.eigenvalues) {
    if (z != 0.0 && !(z.real() <= largest)) largest = z.real();
  }
  return largest;
}

}  // namespace

std::string branch_csv(const motion::Motion& motion, const std::string& along,
                       const study::Branch& branch) {
  std::string text = "kind," + csv_field(along);
  for (const char* prime : {"", "'"}) {
    for (const std::string& name : motion.model().coordinates)
      text += "," + csv_field(name + prime);
  }
  text += ",unstable,largest_real\n";
  for (const study::BranchPoint& point : branch.points) {
    text += fmt::format("{},{}", point.kind, point.parameter);
    for (const auto* list : {&point.state.q, &point.state.v}) {
      for (const double x : *list) text += fmt::format(",{}", x);
    }
    const double largest = largest_real(point);
    text += fmt::format(",{},{}\n", point.unstable,
                        std::isnan(largest) ? "" : fmt::format("{}", largest));
  }
  return text;
}

std::string branch_json(const motion::Motion& motion, const std::string& along,
                        const study::Branch& branch) {
  const auto& names = motion.model().coordinates;
  OrderedJson document;
  document["along"] = along;
  document["complete"] = branch.complete;
  if (!branch.complete) document["reason"] = branch.reason;
  document["points"] = OrderedJson::array();
  for (const study::BranchPoint& point : branch.points) {
    OrderedJson entry{{"kind", point.kind},
                      {"parameter", point.parameter},
                      {"q", by_name(names, point.state.q)},
                      {"v", by_name(names, point.state.v)},
                      {"steadiness", steadiness_name(point.steadiness)},
                      {"unstable", point.unstable}};
    entry["eigenvalues"] = OrderedJson::array();
    for (const auto& z : point.eigenvalues) entry["eigenvalues"].push_back(complex_of(z));
    document["points"].push_back(std::move(entry));
  }
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string branch_text(const motion::Motion& motion, const std::string& along,
                        const study::Branch& branch) {
  std::string text = fmt::format("{} · along {} · {}\n", motion.model().name, along,
                                 count(branch.points.size(), "point"));
  for (const study::BranchPoint& point : branch.points) {
    if (point.kind == "regular") continue;
    text += fmt::format("  {} = {:<16.12g} {}; {}\n", along, point.parameter,
                        kind_words(point.kind), stability(point));
  }
  if (!branch.complete) text += "  not complete: " + branch.reason + "\n";
  return text;
}

}  // namespace dalembert::report
