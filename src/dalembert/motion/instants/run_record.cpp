// The record of each instant of a motion with instants (motion/instants/instant.hpp).
#include <algorithm>

#include "dalembert/motion/instants/run.hpp"

namespace dalembert::motion {

void InstantRun::begin_record(std::span<const Root> fired) {
  if (!records()) return;
  record_ = {};
  record_.t = t_;
  record_.kink = kink_;
  record_.at_once = t_ <= recorded_;
  for (const Root& root : fired) {
    const Watch& watch = watches_[root.watch];
    Guard::Kind kind = Guard::Kind::event;
    switch (watch.kind) {
      case Watched::event:
        break;
      case Watched::gap:
        kind = Guard::Kind::gap;
        break;
      case Watched::normal_force:
        kind = Guard::Kind::normal_force;
        break;
      case Watched::slip:
        kind = Guard::Kind::slip;
        break;
      case Watched::cone:
        kind = Guard::Kind::cone;
        break;
      case Watched::mark:         // never fires
      case Watched::determinant:  // these end the motion
      case Watched::limits:
      case Watched::law:
        continue;
    }
    record_.guards.push_back({kind, watch.index, 0});
  }
  record_.q_before.assign(q().begin(), q().end());
  record_.v_before.assign(v().begin(), v().end());
  const auto discretes = system_.discretes();
  record_.discretes_before.assign(discretes.begin(), discretes.end());
  record_.modes_before = modes_;
  if (!modes_.empty() && system_.evaluate(t_, q(), v())) record_.modes_before = directed();
}

void InstantRun::add_clock(std::size_t event) {
  if (!records()) return;
  const auto clock = std::ranges::find(clocks_, event) - clocks_.begin();
  record_.guards.push_back({Guard::Kind::clock, event, strikes_[static_cast<std::size_t>(clock)]});
}

/// Null where no record is made.
Reset* InstantRun::begin_reset(Reset::Kind kind) {
  if (!records()) return nullptr;
  Reset& reset = record_.resets.emplace_back();
  reset.kind = kind;
  reset.q.assign(q().begin(), q().end());
  reset.v.assign(v().begin(), v().end());
  const auto discretes = system_.discretes();
  reset.discretes.assign(discretes.begin(), discretes.end());
  return &reset;
}

void InstantRun::end_record() {
  if (!records()) return;
  record_.q_after.assign(q().begin(), q().end());
  record_.v_after.assign(v().begin(), v().end());
  const auto discretes = system_.discretes();
  record_.discretes_after.assign(discretes.begin(), discretes.end());
  record_.modes_after = modes_;
  record_.ends = done_;
  record_.behind = std::max(t_, behind_);
  record_.parameters = motion_.parameters();
  recorded_ = t_;
  (started_ ? options_.on_instant : options_.on_start)(record_);
}

}  // namespace dalembert::motion
