#include "dalembert/flow/tapes/time_kinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/instants/marks.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using expr::Op;

constexpr long most_effort = 200'000;      // looks at all that depends on t alone
constexpr double narrowest = 0x1p-44;      // piece, of the motion
constexpr double negligible_width = 1e-6;  // part of the largest range
constexpr double visible_part = 1.0 / 16;  // of a range
constexpr double large_part = 1.0 / 4;     // likewise
constexpr int enough_shrunk = 2;
constexpr int enough_visible = 3;  // changes from one instant to the next
/// Where a piece is looked at: uneven, so that no period fits them all.
constexpr std::array instants = {0.0,         0.089328713, 0.211437291, 0.339172837, 0.472913787,
                                 0.618739129, 0.741387173, 0.887931371, 1.0};

std::vector<Expr> roots_of(const mechanics::Equations& eq) {
  std::vector<Expr> roots;
  const auto add = [&](const auto& expressions) {
    roots.insert(roots.end(), expressions.begin(), expressions.end());
  };
  const auto add_entries = [&](const std::vector<mechanics::Entry>& entries) {
    for (const mechanics::Entry& entry : entries) roots.push_back(entry.value);
  };
  add_entries(eq.M);
  add(eq.Q);
  add_entries(eq.A);
  add(eq.b);
  add(eq.C);
  for (const mechanics::FrictionTerms& friction : eq.frictions) {
    add(friction.offset);
    add_entries(friction.normal);
    add_entries(friction.inertia);
    add_entries(friction.direction);
    for (const mechanics::SlidingSpeed& sliding : friction.sliding) {
      roots.push_back(sliding.speed);
      add_entries(sliding.slopes);
    }
    roots.push_back(friction.strength);
  }
  for (const mechanics::ConstraintRow& row : eq.constraints) {
    roots.push_back(row.residual);
    roots.push_back(row.rate);
  }
  return roots;
}

/// On what an expression depends.
enum class Of : std::uint8_t { parameters, time, state };

Of of_symbol(const Expr& e) {
  if (e.symbol().kind == expr::SymbolKind::parameter) return Of::parameters;
  return e.symbol().kind == expr::SymbolKind::time ? Of::time : Of::state;
}

/// Whether it is a sum, product or whole power, so that it is a polynomial if its operands are.
bool makes_polynomials(const Expr& e) {
  switch (e.kind()) {
    case expr::NodeKind::constant:
    case expr::NodeKind::pi:
    case expr::NodeKind::symbol:
    case expr::NodeKind::sum:
    case expr::NodeKind::product:
      return true;
    case expr::NodeKind::power: {
      const Expr& exponent = e.args()[1];
      return exponent.is(Op::constant) && exponent.value() > 0 && exponent.value().get_den() == 1;
    }
    case expr::NodeKind::table:
    case expr::NodeKind::function:
      break;
  }
  return false;
}

expr::Kinks kinks_of(const Expr& e) {
  return expr::is_function(e.op()) ? expr::function_info(e.op()).kinks : expr::Kinks::none;
}

/// Whether a function of t may be all but constant here and change much there, where its operands
/// do not. Sums and products do not but by them, kinks are looked for by themselves.
bool may_pulse(const Expr& e) {
  if (e.is(Op::power)) return true;
  const expr::Kinks kinks = kinks_of(e);
  return expr::is_function(e.op()) && (kinks == expr::Kinks::none || kinks == expr::Kinks::at_cut);
}

/// So many units in the last place from t, towards `direction` (-1 or 1): more than rounding makes
/// of t + h and of a root.
double beside(double t, int direction) {
  return t + direction * 4 * std::numeric_limits<double>::epsilon() * std::abs(t) +
         direction * std::numeric_limits<double>::min();
}

/// Whether g passes 0 on the way from a to b.
bool differ(double a, double b) {
  return (a > 0 && b < 0) || (a < 0 && b > 0);
}

/// The number of a node at that node, and between two of them a number between theirs: where it
/// passes whole numbers, s passes nodes.
std::shared_ptr<const expr::Table> node_counter(const expr::Table& table) {
  const std::span<const double> nodes = table.nodes();
  std::vector<double> numbers(nodes.size());
  // Off the ends by a half, where nothing else tells that s is beyond them.
  for (std::size_t i = 0; i < nodes.size(); ++i) numbers[i] = static_cast<double>(i);
  std::vector<double> x(nodes.begin(), nodes.end());
  x.insert(x.begin(), nodes[0] - (nodes[1] - nodes[0]));
  numbers.insert(numbers.begin(), -0.5);
  return expr::Table::through("nodes", x, numbers, expr::Interpolation::linear,
                              expr::Outside::hold);
}

}  // namespace

TimeKinks::TimeKinks(const mechanics::Equations& equations)
    : TimeKinks(&equations, {}, {}, equations.parameters) {}

TimeKinks::TimeKinks(const mechanics::Equations* equations, std::span<const Expr> others,
                     std::span<const Expr> asked, const std::vector<Expr>& parameters) {
  std::vector<Expr> roots = equations != nullptr ? roots_of(*equations) : std::vector<Expr>();
  roots.insert(roots.end(), others.begin(), others.end());
  roots.insert(roots.end(), asked.begin(), asked.end());
  std::unordered_map<Expr, Of, expr::ExprHash, expr::ExprSame> of;
  std::unordered_set<Expr, expr::ExprHash, expr::ExprSame> polynomials;  // in t
  std::unordered_set<Expr, expr::ExprHash, expr::ExprSame> known, known_counted;
  std::vector<Expr> outputs, pulses;
  const auto add = [&](const Expr& g, Passes what) {
    if (!(what == Passes::zero ? known : known_counted).insert(g).second) return;
    outputs.push_back(g);
    passes_.push_back(what);
  };
  for (const Expr& e : expr::postorder(roots)) {
    Of what = e.is(Op::symbol) ? of_symbol(e) : Of::parameters;
    for (const Expr& arg : e.args()) what = std::max(what, of.at(arg));
    of.emplace(e, what);
    const auto is_polynomial = [&](const Expr& x) {
      return of.at(x) == Of::parameters || polynomials.contains(x);
    };
    const bool of_time = what == Of::time;
    const bool polynomial =
        of_time && makes_polynomials(e) && std::ranges::all_of(e.args(), is_polynomial);
    if (polynomial) polynomials.insert(e);
    switch (kinks_of(e)) {
      case expr::Kinks::none:
        break;
      case expr::Kinks::at_zero:  // whatever a condition chooses from
        if (of.at(e.args()[0]) == Of::time) add(e.args()[0], Passes::zero);
        break;
      case expr::Kinks::at_cut:
        if (of_time) add(e.args()[0], Passes::zero);
        break;
      case expr::Kinks::where_equal:
        if (of_time) add(e.args()[0] - e.args()[1], Passes::zero);
        break;
      case expr::Kinks::at_whole_numbers:
        if (of_time) add(e.args()[0], Passes::whole_numbers);
        break;
    }
    if (e.is(Op::table) && of_time) {
      if (e.args()[0].is(Op::symbol)) {
        if (std::ranges::find(tables_, e.table()) == tables_.end()) tables_.push_back(e.table());
      } else {
        add(expr::apply_table(node_counter(*e.table()), e.args()[0]), Passes::whole_numbers);
      }
    }
    if (of_time && !polynomial && may_pulse(e)) pulses.push_back(e);
  }
  // Between two poles a function whose rate has one sign has one zero at most.
  for (const Expr& e : expr::postorder(asked)) {
    const std::optional<Expr> pole = pole_of(e);
    if (pole && depends_on_time_alone(*pole)) add(*pole, Passes::zero);
  }
  for (const Expr& g : asked) {
    add(g, Passes::zero);
    const auto place = std::ranges::find_if(outputs, [&](const Expr& e) {
      return same(e, g) && passes_[static_cast<std::size_t>(&e - outputs.data())] == Passes::zero;
    });
    asked_.push_back(static_cast<std::size_t>(place - outputs.begin()));
  }
  kinks_ = outputs.size();
  pulses_ = pulses.size();
  if (kinks_ + pulses_ == 0) return;
  outputs.insert(outputs.end(), pulses.begin(), pulses.end());
  tape_ = codegen::make_tape(outputs, std::array{expr::time()}, parameters);
}

void StepEndFinder::find(std::span<const double> parameters, double start, double end, bool fine,
                         StepEnds& ends) {
  ends.all.clear();
  ends.touches.clear();
  ends.unknown_from.reset();
  if (kinks_.empty() || !(start < end)) return;
  found_.clear();
  touches_.clear();
  find_nodes(start, end);
  if (kinks_.kinks() + kinks_.pulses() > 0) ranges_.bind(parameters);
  effort_ = 0;
  reached_ = end;
  for (std::size_t g = 0; g < kinks_.kinks(); ++g) {
    if (kinks_.passes(g) == TimeKinks::Passes::zero) {
      find_kinks(g, start, end);
    } else {
      find_jumps(g, start, end);
    }
    merge(start, end);
  }
  if (kinks_.pulses() > 0) {
    find_pulses(start, end, fine);
    merge(start, end);
  }
  ends.all.assign(found_.begin(), found_.end());
  ends.touches.assign(touches_.begin(), touches_.end());
  if (reached_ < end) ends.unknown_from = reached_;
}

/// Tables of t itself: their nodes are known. A step ends at each, whatever is between the points:
/// on one piece the equations are smooth, and no piece is stepped over unseen.
void StepEndFinder::find_nodes(double start, double end) {
  for (const auto& table : kinks_.tables()) {
    const std::span<const double> nodes = table->nodes();
    for (auto node = std::ranges::lower_bound(nodes, start); node != nodes.end() && *node <= end;
         ++node)
      found_.push_back({beside(*node, -1), beside(*node, 1)});
  }
  if (!kinks_.tables().empty()) merge(start, end);
  most_ = most_step_ends + found_.size();
}

/// The roots of g, between those step ends that are known already.
void StepEndFinder::find_kinks(std::size_t g, double start, double end) {
  const std::size_t known = found_.size();
  double from = start;
  if (value(g, start) == 0) {
    from = beside(start, 1);
    if (value(g, from) != 0 || value(g, start + (end - start) * 1e-9) != 0)
      found_.push_back({start, from});
  }
  for (std::size_t i = 0; i <= known; ++i) {
    double to = i < known ? found_[i].before : end;
    if (i == known && value(g, end) == 0) {
      to = beside(end, -1);
      if (value(g, to) != 0) found_.push_back({to, end});
    }
    if (from < to) find_roots(g, {from, to, value(g, from), value(g, to)});
    if (i < known) from = found_[i].behind;
  }
}

void StepEndFinder::find_roots(std::size_t g, Piece piece) {
  const double least = narrowest * (piece.to - piece.from);
  pieces_.assign(1, piece);
  while (!pieces_.empty()) {
    const Piece x = pieces_.back();
    pieces_.pop_back();
    if (++effort_ > most_effort || found_.size() >= most_) {
      reached_ = std::min(reached_, x.from);
      return;
    }
    const bool crosses = differ(x.at_from, x.at_to);
    ranges_.look_over(x.from, x.to);
    const bool monotonic = !ranges_.rate(g).contains(0);
    if (!crosses && (monotonic || !ranges_.range(g).contains(0))) continue;
    const Range range = ranges_.range(g);
    if (range.low == 0 && range.high == 0) continue;
    if (crosses && monotonic) {
      add_root(g, x);
      continue;
    }
    if (!(x.to - x.from > std::max(least, 64 * std::numeric_limits<double>::epsilon() * x.to))) {
      if (crosses) {
        add_root(g, x);
      } else {
        add_touch(g, x);
      }
      continue;
    }
    double middle = x.from + (x.to - x.from) / 2;
    double at_middle = value(g, middle);
    if (at_middle == 0) {  // an end of a piece must tell a sign
      middle = x.from + 0.4871 * (x.to - x.from);
      at_middle = value(g, middle);
    }
    pieces_.push_back({middle, x.to, at_middle, x.at_to});
    pieces_.push_back({x.from, middle, x.at_from, at_middle});
  }
}

/// Where u passes whole numbers, between those step ends that are known already.
void StepEndFinder::find_jumps(std::size_t u, double start, double end) {
  const std::size_t known = found_.size();
  double from = start;
  for (std::size_t i = 0; i <= known; ++i) {
    const double to = i < known ? found_[i].before : end;
    if (from < to) find_whole_numbers(u, from, to);
    if (i < known) from = found_[i].behind;
  }
}

void StepEndFinder::find_whole_numbers(std::size_t u, double start, double end) {
  const double least = narrowest * (end - start);
  pieces_.assign(1, {start, end, std::floor(value(u, start)), std::floor(value(u, end))});
  while (!pieces_.empty()) {
    const Piece x = pieces_.back();
    pieces_.pop_back();
    if (++effort_ > most_effort || found_.size() >= most_) {
      reached_ = std::min(reached_, x.from);
      return;
    }
    ranges_.look_over(x.from, x.to);
    const Range range = ranges_.range(u);
    const bool monotonic = !ranges_.rate(u).contains(0);
    const double passed = std::abs(x.at_to - x.at_from);  // not a number where u has no value
    const bool crosses = passed >= 1;
    if (!crosses && (monotonic || std::floor(range.low) == std::floor(range.high))) continue;
    const bool shortest =
        !(x.to - x.from > std::max(least, 64 * std::numeric_limits<double>::epsilon() * x.to));
    if (shortest && !crosses) continue;
    if (shortest || (monotonic && passed == 1)) {
      add_jump(u, x);
      continue;
    }
    const double middle = x.from + (x.to - x.from) / 2;
    const double at_middle = std::floor(value(u, middle));
    pieces_.push_back({middle, x.to, at_middle, x.at_to});
    pieces_.push_back({x.from, middle, x.at_from, at_middle});
  }
}

/// The one instant in a piece at which floor(u) changes, by bisection down to neighbouring numbers.
void StepEndFinder::add_jump(std::size_t u, Piece piece) {
  while (true) {
    const double middle = piece.from + (piece.to - piece.from) / 2;
    if (!(piece.from < middle && middle < piece.to)) break;
    (std::floor(value(u, middle)) == piece.at_from ? piece.from : piece.to) = middle;
  }
  found_.push_back({beside(piece.from, -1), beside(piece.to, 1)});
}

/// The one root in a piece, by bisection down to neighbouring numbers.
void StepEndFinder::add_root(std::size_t g, Piece piece) {
  while (true) {
    const double middle = piece.from + (piece.to - piece.from) / 2;
    if (!(piece.from < middle && middle < piece.to)) break;
    const double at_middle = value(g, middle);
    if (at_middle == 0) {
      piece.from = piece.to = middle;
      break;
    }
    if (differ(piece.at_from, at_middle)) {
      piece.to = middle;
    } else {
      piece.from = middle;
    }
  }
  found_.push_back({beside(piece.from, -1), beside(piece.to, 1)});
}

/// A piece too short to be halved, with zero in the range of g and one sign at both ends. Several
/// such pieces side by side are one touch.
void StepEndFinder::add_touch(std::size_t g, const Piece& piece) {
  const auto asked = std::ranges::find(kinks_.asked(), g);
  if (asked == kinks_.asked().end()) return;
  const auto of = static_cast<std::size_t>(asked - kinks_.asked().begin());
  if (!touches_.empty() && touches_.back().of == of &&
      std::abs(piece.from - touches_.back().t) <= 64 * (piece.to - piece.from))
    return;
  touches_.push_back({of, piece.from + (piece.to - piece.from) / 2});
}

/// Halves what lies between the kinks until all that depends on t is seen.
void StepEndFinder::find_pulses(double start, double end, bool fine) {
  ranges_.look_over(start, end);
  sizes_.resize(kinks_.pulses());
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    sizes_[i] = negligible_width * ranges_.range(kinks_.kinks() + i).width();
  pieces_.clear();
  double from = start;
  for (const StepEnd& kink : found_) {
    pieces_.push_back({.from = from, .to = kink.before});
    from = kink.behind;
  }
  pieces_.push_back({.from = from, .to = end});
  std::reverse(pieces_.begin(), pieces_.end());
  const double least = narrowest * (end - start);
  while (!pieces_.empty()) {
    const Piece x = pieces_.back();
    pieces_.pop_back();
    if (!(x.to - x.from > least)) continue;
    const Sight sight = look_twice(x.from, x.to);
    if (sight == Sight::seen && x.generation > 0) add_pulse(x.from, x.to, fine);
    if (sight != Sight::hidden) continue;
    // What is hidden keeps its range while a piece that contains it is halved, until it is seen. A
    // range that shrinks again and again was too wide.
    const int shrunk = hidden_ <= 0.5 * x.hidden ? x.shrunk + 1 : 0;
    if (shrunk == enough_shrunk) continue;
    if (effort_ > most_effort || found_.size() >= most_) {
      reached_ = std::min(reached_, x.from);
      return;
    }
    const double middle = x.from + (x.to - x.from) / 2;
    Piece half{.from = middle,
               .to = x.to,
               .generation = x.generation + 1,
               .shrunk = shrunk,
               .hidden = hidden_};
    pieces_.push_back(half);
    half.from = x.from;
    half.to = middle;
    pieces_.push_back(half);
  }
}

/// Chance may show a few of many pulses: what is seen in a piece must be seen in its halves, too,
/// unless it is small there.
StepEndFinder::Sight StepEndFinder::look_twice(double from, double to) {
  const Sight sight = look_for_pulses(from, to);
  if (sight != Sight::seen) return sight;
  const double whole = width_;
  const double middle = from + (to - from) / 2;
  for (const bool first : {true, false}) {
    const bool hidden =
        look_for_pulses(first ? from : middle, first ? middle : to) == Sight::hidden;
    if (hidden && hidden_ > large_part * whole) return Sight::hidden;
  }
  return Sight::seen;
}

/// Step ends around a piece in which something changes that was hidden in a longer one.
void StepEndFinder::add_pulse(double from, double to, bool fine) {
  for (std::size_t k = 0; k < instants.size(); ++k) {
    const bool at_end = k == 0 || k + 1 == instants.size();
    const double t = k + 1 == instants.size() ? to : from + instants[k] * (to - from);
    if (at_end || fine) found_.push_back({t, t});
  }
}

/// Whether a few instants show how all that depends on t changes over a piece.
StepEndFinder::Sight StepEndFinder::look_for_pulses(double from, double to) {
  const std::size_t count = kinks_.pulses();
  effort_ += static_cast<long>(instants.size()) + 1;
  ranges_.look_over(from, to);
  bool small = true;
  hidden_ = width_ = 0;
  seen_.resize(count * (instants.size() + 1));
  double* const widths = seen_.data() + count * instants.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double width = ranges_.range(kinks_.kinks() + i).width();
    // What has no bounds, beside a pole, cannot be judged so.
    widths[i] = std::isfinite(width) && width > sizes_[i] ? width : 0;
    if (widths[i] == 0) continue;
    small = false;
    width_ = std::max(width_, width / sizes_[i]);
  }
  if (small) return Sight::nothing_there;
  for (std::size_t k = 0; k < instants.size(); ++k) {
    ranges_.look_at(from + instants[k] * (to - from));
    for (std::size_t i = 0; i < count; ++i)
      seen_[k * count + i] = ranges_.value(kinks_.kinks() + i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (widths[i] == 0) continue;
    int visible = 0;
    for (std::size_t k = 1; k < instants.size(); ++k) {
      if (std::abs(seen_[k * count + i] - seen_[(k - 1) * count + i]) >= visible_part * widths[i])
        ++visible;
    }
    if (visible < enough_visible) hidden_ = std::max(hidden_, widths[i] / sizes_[i]);
  }
  return hidden_ > 0 ? Sight::hidden : Sight::seen;
}

/// In order, those that overlap as one, within [start, end].
void StepEndFinder::merge(double start, double end) {
  std::sort(found_.begin(), found_.end(),
            [](const StepEnd& a, const StepEnd& b) { return a.before < b.before; });
  std::size_t kept = 0;
  for (const StepEnd& x : found_) {
    const StepEnd within{std::max(x.before, start), std::min(x.behind, end)};
    if (kept > 0 && within.before <= found_[kept - 1].behind) {
      found_[kept - 1].behind = std::max(found_[kept - 1].behind, within.behind);
    } else {
      found_[kept++] = within;
    }
  }
  found_.resize(kept);
}

double StepEndCursor::begin(StepEndFinder& finder, std::span<const double> parameters, double start,
                            double end, bool fine) {
  next_ = 0;
  finder.find(parameters, start, end, fine, ends_);
  const bool at_start = !ends_.all.empty() && ends_.all.front().before <= start;
  const double from = at_start ? ends_.all.front().behind : start;
  if (ends_.all.empty() || ends_.all.back().behind < end) ends_.all.push_back({end, end});
  return from;
}

std::string step_ends_doubt(double unknown_from) {
  return fmt::format(
      "from t = {:.6g} on there are too many kinks or pulses in t to look for each: what is "
      "shorter than a step may have been missed; limit the steps by max_step",
      unknown_from);
}

}  // namespace dalembert::flow
