#pragma once
/// The motion of a model with events, contacts and friction that sticks: smooth pieces, by rk8 or
/// bdf, each in a mode of its contacts and frictions (flow/instants/modes.hpp), joined at instants.
///
///     a step is tried; what is watched is looked at along its continuous output
///     the first root ends the step there, located to rounding by steps of other lengths
///     at the instant: impacts, then events in the order of the file, until nothing more happens;
///     then the modes, all together
///
/// Watched are gaps of open contacts, normal forces of closed ones, v.d of what slides (d its
/// direction when the piece began), what is left to the limit of what sticks, coefficients and
/// limits that vary, which must not become negative, and `when` of events.
/// A `when` that jumps takes place at the first time at which the state has the other sign; zero is
/// no sign, and a pole, where it passes infinity, is no root. Steps are looked at closely around
/// its marks (flow/instants/marks.hpp). What depends on t alone strikes at times that are known
/// ahead. A contact that bounces without end is followed until its bounces are lost in rounding or
/// shrink as a geometric series; then the series is summed, and the motion goes on with the contact
/// closed.
///
/// y = (q, q', work applied, ideal, non-ideal, other, of friction). After each step q and q' are
/// projected onto constraints, closed gaps and what sticks, in the kinetic metric.

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/instants/impacts.hpp"
#include "dalembert/flow/instants/row_system.hpp"
#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/instants/piece_stepper.hpp"
#include "dalembert/motion/sample_times.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

class InstantRun {
 public:
  /// All arguments must outlive it. The motion has instants.
  InstantRun(const Motion& motion, const State& start, const SimulationOptions& options,
             const Observer& observer, const Progress& progress);

  /// To the end, or as far as it comes.
  void run();
  Summary finish(double seconds);
  const Summary& summary() const { return summary_; }
  double t() const { return t_; }
  std::span<const double> q() const { return q(std::span(y_)); }
  std::span<const double> v() const { return v(std::span(y_)); }
  /// What came near zero and turned back within the tolerances, and when; the last of them.
  struct Graze {
    double t = -HUGE_VAL;
    std::string name;
  };
  const Graze& graze() const { return graze_; }
  /// h at the end less h at the start.
  double find_energy_change();

 private:
  using Modes = flow::Modes;
  using TouchElement = flow::TouchElement;
  using TouchMode = flow::TouchMode;
  using Hold = flow::Hold;
  using Sight = flow::RowSystem::Sight;
  static constexpr std::size_t none = TouchElement::none;

  enum class Watched : std::uint8_t {
    event,
    gap,
    normal_force,
    slip,
    cone,
    determinant,
    limits,  ///< whether those that reactions decide have one answer: 1, or -1
    law,
    mark
  };
  struct Watch {
    Watched kind;
    std::size_t index;     ///< of the event or the element
    std::size_t when;      ///< of an event: its place among those that have one; of a mark: its own
    int sign = 0;          ///< that it has; 0: not yet known
    double size = 0;       ///< the largest seen of it, or of its terms
    double uncertain = 0;  ///< below this it counts as zero
    /// Of an event: at the start of the step this too, where its slope there says that so little is
    /// passed in no time.
    double passed = 0;
  };
  struct Root {
    std::size_t watch = none;
    double theta = 2;
    int from = 0;        ///< its sign before
    bool clear = true;   ///< it was clear of zero before
    bool went = false;   ///< not clear, but on its way
    bool jumps = false;  ///< it has values of both signs, and none near zero between them
    bool pole = false;   ///< likewise, as it passes infinity: no root
  };
  /// A change of sign of a `when` that is known ahead.
  struct Strike {
    double t;
    std::size_t when;
    int sign;    ///< behind it
    bool fires;  ///< the event takes place: it is no pole, and in the direction that is asked for
  };
  struct Bounce {
    double t = -1, rate = 0;   ///< when the contact last departed, and how fast
    double ratio = -1;         ///< to the departure before
    double flight = -1;        ///< how long it should fly
    double height = HUGE_VAL;  ///< and how high
    /// When the bounces should have ended: by the series of flights, and by Richardson's
    /// extrapolation of that once and twice. Not numbers where that is not known.
    std::array<double, 3> ends = {NAN, NAN, NAN};
  };
  static int sign_of_value(double x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }
  static constexpr std::size_t works = 5;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  // run_steps.cpp
  bool begin();
  bool take_step();
  bool end_step(double h, std::span<const Root> fired);
  bool is_free() const;
  bool derivative(double t, std::span<const double> y, std::span<double> dydt);
  bool restart();
  bool give_samples(double until, bool including);
  bool emit(double t, std::span<const double> y);
  void note_touches(const Modes& modes);
  bool project(double t, std::span<double> y, double* drift);
  double correction(std::span<const double> start, std::span<const double> end,
                    std::span<const double> projected) const;
  std::unique_ptr<PieceStepper> make_stepper();
  void bind_parameters();
  void find_step_ends();
  bool cut_at_root(double h, double& stretch, bool& again);
  bool stop(std::string reason);
  bool give_up();
  void doubt(std::string sentence);
  const Modes& directed();
  void note_slide_speeds();
  void note_undecided();
  bool check_limits();
  bool stop_at_several();
  void note_departures();
  void note_brakes();
  void drop_departures();
  bool is_slow(std::size_t element, double speed) const;
  double friction_of(std::size_t element) const;
  double response_of(std::size_t element) const;
  void turn_slow(std::span<const std::size_t> elements);
  double least_of_law(std::size_t element, std::string* what) const;
  Tolerance tolerance() const { return {options_.rtol, absolute_, reference_, 2 * n_}; }
  std::span<double> q(std::span<double> y) const { return y.first(n_); }
  std::span<double> v(std::span<double> y) const { return y.subspan(n_, n_); }
  std::span<const double> q(std::span<const double> y) const { return y.first(n_); }
  std::span<const double> v(std::span<const double> y) const { return y.subspan(n_, n_); }

  // run_watch.cpp
  void set_watches();
  bool look(double t, std::span<const double> y, std::span<double> values,
            std::span<double> slopes = {});
  bool look_inside(double theta, std::span<double> values);
  double value_inside(std::size_t watch, double theta);
  bool find_roots(double h);
  void find_roots_of(std::size_t watch, double h);
  double refine(std::size_t watch, double from, double to, int sign_from);
  void add_root_between(std::size_t watch, std::size_t sample, int sign);
  double leave_zero(std::size_t watch, double from, double to, int sign);
  double sink(std::size_t watch, double from, double to);
  bool locate(const Root& root, double h, double& located);
  bool turns_too_fast(const Watch& watch, double stretch) const;
  bool matters(const Watch& watch, int from) const;
  void note_passed();
  bool is_zero(std::size_t watch, std::size_t sample) const {
    const Watch& one = watches_[watch];
    const double least = sample == 0 ? std::max(one.uncertain, one.passed) : one.uncertain;
    return std::abs(looks_[sample][watch]) <= least;
  }
  bool is_far(double h);

  // run_touches.cpp
  bool look_around_marks();
  void look_for_touch(std::size_t watch, std::size_t sample, double h);
  void look_for_touch_at_end(std::size_t watch, bool at_start, double h);
  void look_for_touch_between(std::size_t watch, double from, double to, int sign, double h);
  double least_around(std::size_t watch, double from, double to, int sign, double enough,
                      double& theta);
  double tolerated(const Watch& watch, double theta);
  double most_told(const Watch& watch, double unclear) const;
  bool has_kink_at_zero(std::size_t watch, double theta, double width);
  void report_touch(const std::string& name, double least, double t);
  bool only_dips(std::size_t watch, std::size_t& sample, int sign, double h);
  enum class Crossing : std::uint8_t { root, jump, pole };
  Crossing crossing_at(std::size_t watch, double theta);
  void report_pole(std::size_t when, double t);
  std::vector<Root> take_poles();
  void pass_poles(const std::vector<Root>& poles, double theta, double h);
  bool locate_jump(const Root& root, double h, double& located);
  void drop_unchanged(double t);

  // run_timed.cpp
  void find_strikes();
  bool whens_follow_discretes() const;
  void follow_strikes(std::size_t timed, const flow::StepEnds& ends);
  double first_with_sign(std::size_t timed, double before, double behind, int sign);
  bool is_pole_of_time(std::size_t timed, double t);
  bool is_timed(std::size_t when) const;
  double next_when_end();
  bool strikes_now();
  void take_strikes(std::vector<std::size_t>& due,
                    std::vector<std::pair<std::size_t, int>>& behind);

  // run_changes.cpp
  bool handle(std::span<const Root> fired);
  bool happen(std::span<const Root> fired, bool& struck);
  bool decide(std::span<const Root> fired, std::span<const std::size_t> rested);
  std::vector<Modes> candidates(std::span<const Root> fired, std::span<const std::size_t> rested,
                                bool forced);
  bool follow_events(const std::vector<std::size_t>& events);
  void note_contradictions(std::span<const std::size_t> earlier, std::size_t event);
  bool set_by(std::size_t event);
  void add_slipped(std::vector<std::size_t>& due);
  /// Of the events that see their sign changed by what happened here, those that take notice.
  std::vector<std::size_t> events_by_jumps();
  void log_changes(const Modes& before);
  void log(EventRow row);
  void log(double t, const std::string& name, std::string_view kind);
  std::string in_conflict(const flow::ModeChoice& choice) const;
  std::string name_of(const Watch& watch) const;
  std::string name_of_when(std::size_t when) const {
    return name_of({Watched::event, when_events_[when], when});
  }
  bool count_instant(const std::string& culprit);
  void set_event_floors();
  void set_gap_floors(std::span<const Root> fired);
  bool evaluate_here();
  double total_energy();
  void update_sizes(const Sight& sight);
  double small_gap(const TouchElement& e, double rate) const;
  double small_rate(std::size_t row) const;
  bool slides(const TouchElement& e, const Sight& sight) const;

  // run_impacts.cpp
  bool strike(std::span<const Root> fired, bool& struck);
  void add_driven_work(const flow::Impact& impact);
  bool follow_bounces(std::vector<std::size_t>& rested, double& later);
  static double end_of_bounces(Bounce& now, const Bounce& last, double& error);
  bool settle(std::span<const std::size_t> rested);

  // run_record.cpp
  bool records() const {
    return static_cast<bool>(started_ ? options_.on_instant : options_.on_start);
  }
  void begin_record(std::span<const Root> fired);
  void add_clock(std::size_t event);
  Reset* begin_reset(Reset::Kind kind);
  void end_record();

  Motion motion_;  ///< with the turns of hinges counted so far, and discrete values
  const SimulationOptions& options_;
  SampleTimes times_;
  const Observer& observer_;
  const Progress& progress_;
  std::size_t n_;
  flow::RowSystem system_;
  ConditionWatch conditions_;
  TurnCounter turns_;
  flow::StepEndFinder kink_finder_;
  flow::StepEndCursor step_ends_;
  flow::StepEndFinder when_finder_;
  std::vector<Strike> time_strikes_;  ///< of whens of t alone, in order
  std::size_t next_strike_ = 0;
  std::vector<double> when_ends_;  ///< where steps end for the sake of what is watched, in order
  std::size_t next_when_end_ = 0;
  bool strikes_known_ = false;  ///< they have been looked for
  bool all_timed_ = false;      ///< and all were found
  std::unique_ptr<PieceStepper> rk_;
  StepController controller_;
  double t_ = 0, h_ = 0;
  std::vector<double> y_, scratch_, sample_, projected_, absolute_, reference_;
  Modes modes_, here_;
  std::vector<Watch> watches_;
  bool forces_watched_ = false;
  bool free_ = false;  ///< of this piece: no row is held, and nothing slides
  std::vector<double> thetas_, start_look_, start_slopes_, end_look_, end_slopes_, one_look_;
  std::vector<std::vector<double>> looks_;
  std::vector<Root> roots_;
  double located_error_ = 0;  ///< of the step that `locate` ended at a root
  double located_value_ = 0;  ///< of the watch there
  /// Of what slides in several slips and left rest at t: |R| tr w where its piece began.
  struct Departure {
    double t = std::nan(""), brake = 0;
  };
  std::vector<Departure> departures_;  ///< by element; not a number: it is slow no longer
  std::vector<std::size_t> slow_;      ///< scratch of directed
  std::vector<double> slide_speeds_;   ///< by element that slides in two, where a step begins
  std::vector<double> gap_sizes_, rate_sizes_;  ///< by row of elements: the largest scales seen
  std::vector<double> event_sizes_;             ///< by `when`
  std::vector<int> event_signs_;
  std::vector<double> event_floors_;      ///< by `when`: what it was where it was found zero, twice
  std::vector<double> gap_floors_;        ///< by element: what counts as zero of its gap, or 0
  std::vector<double> event_values_;      ///< by `when`, before anything happened at this instant
  std::vector<std::size_t> when_events_;  ///< the event of each `when`
  std::vector<bool> when_poles_;          ///< of each `when`: whether it may have poles
  std::vector<bool> pole_noted_;          ///< likewise: whether one was reported
  bool inside_ = false;                   ///< what is looked at is no end of a step
  bool straddles_ = false;                ///< a step ends where something has just touched zero
  bool lost_ = false;                     ///< a jump was not found again by steps of other lengths
  std::vector<std::size_t> first_setting_;  ///< of each event among all
  std::vector<Bounce> bounces_;
  std::vector<std::size_t> clocks_;  ///< events with a period
  std::vector<double> periods_;
  std::vector<long> strikes_;        ///< of the clocks: how many have been
  std::vector<double> close_later_;  ///< by element: after what time its bounces will have ended
  long next_sample_ = 0;
  double instant_ = -1;
  long in_instant_ = 0;
  bool done_ = false;
  double impact_work_ = 0, set_work_ = 0;
  double h_start_ = 0, potential_start_ = 0;
  bool started_ = false;
  std::string failure_;
  std::vector<bool> output_noted_;
  std::vector<TouchSample> touches_;  ///< by element, of the last sample
  bool project_failed_ = false;
  Instant record_;               ///< of the instant at hand, if someone asks for it
  double recorded_ = -HUGE_VAL;  ///< when the last one was
  double behind_ = -HUGE_VAL;    ///< where the motion goes on behind the instant at t_
  bool kink_ = false;            ///< whether that is one of a kink in time
  Graze graze_;
  Summary summary_;
};

}  // namespace dalembert::motion
