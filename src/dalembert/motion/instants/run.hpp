#pragma once
/// The motion of a model with events, contacts and friction that sticks: smooth pieces, by rk8,
/// each in a mode of its contacts and frictions (flow/instants/modes.hpp), joined at instants.
///
///     a step is tried; what is watched is looked at along its continuous output
///     the first root ends the step there, located to rounding by steps of other lengths
///     at the instant: impacts, then events in the order of the file, then the modes, all together
///
/// Watched are gaps of open contacts, normal forces of closed ones, v.d of what slides (d its
/// direction when the piece began), what is left to the limit of what sticks, and `when` of events.
/// A contact that bounces without end is followed until its bounces shrink as a geometric series;
/// then the series is summed, and the motion goes on from the limit with the contact closed.
///
/// y = (q, q', work applied, ideal, non-ideal, other, of friction, dissipated). After each step q
/// and q' are projected onto constraints, closed gaps and what sticks, in the kinetic metric.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/instants/impacts.hpp"
#include "dalembert/flow/instants/row_system.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class InstantRun {
 public:
  /// All arguments must outlive it. The motion has instants.
  InstantRun(const Motion& motion, const State& start, const SimulationOptions& options,
             const Observer& observer, const Progress& progress);

  Summary run();

 private:
  using Modes = flow::Modes;
  using TouchElement = flow::TouchElement;
  using TouchMode = flow::TouchMode;
  using Hold = flow::Hold;

  enum class Watched : std::uint8_t { event, gap, normal_force, slip, cone, determinant };
  struct Watch {
    Watched kind;
    std::size_t index;    ///< of the event or the element
    int sign = 0;         ///< that it has; 0: not yet known
    double size = 0;      ///< the largest seen of it
    bool turned = false;  ///< near a touch that has been told
  };
  struct Root {
    std::size_t watch;
    double theta;
  };
  struct Bounces {
    std::vector<double> times;  ///< of the last impacts of a contact
  };
  static constexpr std::size_t works = 6;
  static constexpr std::size_t friction_work = 4, dissipated = 5;

  // run_steps.cpp
  bool begin();
  bool take_step(double end);
  bool derivative(double t, std::span<const double> y, std::span<double> dydt);
  bool finish_step(double h, const std::vector<Root>& roots);
  bool give_samples(double until, bool including);
  bool emit(double t, std::span<const double> y);
  bool project(double t, std::span<double> y, double* drift);
  void restart();
  bool stop(std::string reason);
  Tolerance tolerance() const { return {options_.rtol, absolute_, reference_, 2 * n_}; }
  std::span<double> q(std::span<double> y) const { return y.first(n_); }
  std::span<double> v(std::span<double> y) const { return y.subspan(n_, n_); }
  std::span<const double> q(std::span<const double> y) const { return y.first(n_); }
  std::span<const double> v(std::span<const double> y) const { return y.subspan(n_, n_); }

  // run_watch.cpp
  void set_watches();
  bool look(double t, std::span<const double> y, std::vector<double>& values);
  bool look_inside(double theta, std::vector<double>& values);
  bool find_roots(std::vector<Root>& roots);
  std::optional<double> refine(std::size_t watch, double from, double to, double at_from);
  void look_for_touch(std::size_t watch, double from, double to, double sign,
                      std::vector<Root>& roots);
  bool locate(const Root& root, double h, double* located);
  bool matters(const Watch& watch, int from) const;
  double small(const Watch& watch) const;
  bool is_far() const;
  Modes directed(std::span<const double> rates) const;

  // run_changes.cpp
  bool handle(std::span<const Root> fired, std::span<const std::size_t> clocks);
  bool decide(const std::vector<std::pair<std::size_t, TouchMode>>& forced,
              std::span<const std::size_t> rested, bool settle);
  bool strike(std::span<const std::size_t> fired);
  bool follow_events(std::span<const std::size_t> events);
  bool set_by(const model::Event& event);
  bool check_contacts();
  std::vector<flow::Modes> candidates(const std::vector<std::pair<std::size_t, TouchMode>>& forced,
                                      std::span<const std::size_t> rested) const;
  void log_changes(const Modes& before);
  void log(std::string_view name, std::string_view kind, const EventRow& more = {});
  bool sum_bounces(std::size_t element);
  std::string in_conflict(const flow::ModeChoice& choice) const;
  std::string name_of(const Watch& watch) const;
  bool count_instant(const std::string& culprit);
  double energy();
  void doubt(std::string sentence);

  Motion motion_;  ///< with the turns of hinges counted so far
  const SimulationOptions& options_;
  SampleTimes times_;
  const Observer& observer_;
  const Progress& progress_;
  std::size_t n_;
  flow::RowSystem system_;
  ConditionWatch conditions_;
  TurnCounter turns_;
  StepEndCursor step_ends_;
  Rk8 rk_;
  StepController controller_;
  double t_ = 0, h_ = 0;
  std::vector<double> y_, scratch_, sample_, absolute_, reference_;
  Modes modes_, here_;
  std::vector<Watch> watches_;
  std::vector<std::vector<double>> looks_;
  std::vector<double> start_look_, end_look_;
  bool start_known_ = false;
  std::vector<double> event_sizes_;
  std::vector<int> event_signs_;
  std::vector<Bounces> bounces_;
  std::vector<bool> apart_;    ///< contacts that have left their surface since they last touched it
  std::vector<long> strikes_;  ///< of the clocks, by event
  long next_sample_ = 0;
  double instant_ = -1;
  long in_instant_ = 0;
  bool stopped_ = false;
  double impact_work_ = 0;
  double h_start_ = 0, potential_start_ = 0;
  std::string failure_;
  bool order_told_ = false;
  Summary summary_;
};

}  // namespace dalembert::motion
