#pragma once
/// Where steps must end because the equations of motion depend on t alone there: an integrator sees
/// a function of t at its stages only, and a force that acts between two of them is none to it.
///
/// Kinks and jumps. abs(g), sign(g), step(g), min(a, b), max(a, b), atan2(g, x) and a condition on
/// g of t and parameters have them where g(t) = 0 or g = a - b = 0, floor(u) where u passes a whole
/// number. Roots are isolated by bisection on ranges of g and g'
/// (flow/tapes/time_ranges.hpp): a piece without 0 in the range of g, or with g of one sign at both
/// ends and without 0 in that of g', has none. Kinks within g are found first, so that g is smooth
/// on each piece. A step ends before the root and the next begins behind it, so that no stage
/// stands on a jump.
///
/// Short pulses. A function f(t), as exp(-((t - 7)/0.01)^2), whose range over a piece is much
/// larger than what is seen of it at a few instants, is halved until it is seen. Steps end around
/// the pieces in which it is, so that none is long where something short happens.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/tapes/time_ranges.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::flow {

/// A step ends at `before`, the next begins at `behind` with the same state. The two are a few
/// units in the last place apart at a kink, and the same where nothing jumps.
struct StepEnd {
  double before, behind;
  bool is_kink() const { return before < behind; }
};

/// The most that are looked for, beside the nodes of tables.
inline constexpr std::size_t most_step_ends = 10'000;

/// All of a motion's; increasing, within [start, end].
struct StepEnds {
  std::vector<StepEnd> all;
  /// Where a function whose zeros are asked for comes to zero, all but for rounding, and turns
  /// back.
  struct Touch {
    std::size_t of;  ///< in TimeKinks::asked
    double t;
  };
  std::vector<Touch> touches;
  /// From where on not all could be found: there are too many of them.
  std::optional<double> unknown_from;
};

/// What of a system's equations depends on t and parameters alone. Immutable.
class TimeKinks {
 public:
  /// What a kink of the equations is: g passes 0, or any whole number.
  enum class Passes : std::uint8_t { zero, whole_numbers };

  explicit TimeKinks(const mechanics::Equations& equations);
  /// Of these and of the equations, if there are any. Of `asked`, functions of t and `parameters`,
  /// all zeros are step ends, too, and all poles.
  TimeKinks(const mechanics::Equations* equations, std::span<const expr::Expr> others,
            std::span<const expr::Expr> asked, const std::vector<expr::Expr>& parameters);

  bool empty() const { return kinks_ + pulses_ + tables_.size() == 0; }
  /// Tables of t itself, whose nodes are kinks.
  const codegen::Tables& tables() const { return tables_; }
  const codegen::Tape& tape() const { return tape_; }
  std::size_t kinks() const { return kinks_; }  ///< outputs g of the tape, inner ones first
  Passes passes(std::size_t g) const { return passes_[g]; }
  std::size_t pulses() const { return pulses_; }  ///< outputs f behind them
  /// The outputs whose zeros are asked for.
  std::span<const std::size_t> asked() const { return asked_; }

 private:
  codegen::Tape tape_;
  std::vector<Passes> passes_;  ///< of each kink
  codegen::Tables tables_;
  std::size_t kinks_ = 0, pulses_ = 0;
  std::vector<std::size_t> asked_;
};

/// Finds the step ends of one motion after the other.
class StepEndFinder {
 public:
  explicit StepEndFinder(const TimeKinks& kinks) : kinks_(kinks), ranges_(kinks.tape()) {}

  /// Replaces what is in `ends`. Costs nothing if nothing depends on t alone. With `fine`, pulses
  /// have step ends within them too, for methods without stages inside their steps.
  void find(std::span<const double> parameters, double start, double end, bool fine,
            StepEnds& ends);
  /// Of asked()[k] at an instant, with the parameters of the last `find`.
  double asked(std::size_t k, double t) { return value(kinks_.asked()[k], t); }

 private:
  struct Piece {
    double from = 0, to = 0;
    double at_from = 0, at_to = 0;  ///< g there, or the whole number below u
    int generation = 0;             ///< how often it was halved
    int shrunk = 0;                 ///< how often in a row what is hidden in it has shrunk with it
    double hidden = 0;              ///< range in the one that was halved
  };

  double value(std::size_t output, double t) {
    ranges_.look_at(t);
    return ranges_.value(output);
  }
  void find_nodes(double start, double end);
  void find_kinks(std::size_t g, double start, double end);
  void find_roots(std::size_t g, Piece piece);
  void add_root(std::size_t g, Piece piece);
  void add_touch(std::size_t g, const Piece& piece);
  void find_jumps(std::size_t u, double start, double end);
  void find_whole_numbers(std::size_t u, double start, double end);
  void add_jump(std::size_t u, Piece piece);
  void find_pulses(double start, double end, bool fine);
  enum class Sight { nothing_there, seen, hidden };
  Sight look_for_pulses(double from, double to);
  Sight look_twice(double from, double to);
  void add_pulse(double from, double to, bool fine);
  void merge(double start, double end);

  const TimeKinks& kinks_;
  TimeRanges ranges_;
  long effort_ = 0;
  double width_ = 0;    ///< the widest range at the last look, in units of what is negligible
  double hidden_ = 0;   ///< and of those that were not seen
  double reached_ = 0;  ///< where the search of this g, or of pulses, gave up
  std::size_t most_ = most_step_ends;
  std::vector<StepEnd> found_;
  std::vector<StepEnds::Touch> touches_;
  std::vector<Piece> pieces_;
  std::vector<double> sizes_, seen_;
};

/// The step ends of a motion under way from `start` to `end`, which is the last of them. Nothing
/// allocates but `begin`.
class StepEndCursor {
 public:
  /// Where the motion begins: at the start, or behind a kink that stands there.
  double begin(StepEndFinder& finder, std::span<const double> parameters, double start, double end,
               bool fine);

  /// The next one behind t, which only grows.
  const StepEnd& next(double t) {
    while (next_ + 1 < ends_.all.size() && ends_.all[next_].before <= t) ++next_;
    return ends_.all[next_];
  }
  /// All of them, from the first behind the start.
  const std::vector<StepEnd>& all() const { return ends_.all; }
  std::optional<double> unknown_from() const { return ends_.unknown_from; }

 private:
  StepEnds ends_;
  std::size_t next_ = 0;
};

/// What is to be said where not all step ends could be found.
std::string step_ends_doubt(double unknown_from);

}  // namespace dalembert::flow
