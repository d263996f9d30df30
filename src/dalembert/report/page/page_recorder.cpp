#include "dalembert/report/page/page_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/report/json_values.hpp"

namespace dalembert::report {

namespace {

std::vector<Column> page_columns(const motion::Motion& motion) {
  std::vector<Column> columns = trajectory_columns(motion);
  columns.push_back({"energy.balance", Group::balance});
  return columns;
}

std::size_t most_rows(const PageLimits& limits, std::size_t columns) {
  return std::min(limits.rows, limits.values / columns);
}

/// Where the work of impacts stands among the outputs; behind them where there are none.
std::size_t place_of_impact_work(const motion::Motion& motion) {
  const auto& outputs = motion.outputs();
  if (motion.instants() == nullptr) return outputs.size();
  const auto found = std::ranges::find(outputs, "work.impact", &model::Named::name);
  return static_cast<std::size_t>(found - outputs.begin());
}

/// t q v -> h V
codegen::Kernel h_kernel(const mechanics::Equations& eq) {
  return codegen::interpreted(codegen::make_tape(std::vector{eq.h, eq.potential},
                                                 motion::state_symbols(eq), eq.parameters));
}

}  // namespace

PageRecorder::Implementation::Implementation(const motion::Motion& motion, std::size_t samples,
                                             const PageLimits& limits)
    : columns(page_columns(motion)),
      // Thinned when it comes to that: the motion may end early.
      table(columns.size(), std::min(samples, most_rows(limits, columns.size())),
            most_rows(limits, columns.size())),
      scene(motion),
      motion_(motion),
      layout_(motion),
      row_(columns.size()),
      h_(h_kernel(motion.equations())),
      h_workspace_(h_.workspace(motion.parameters())),
      turns_(motion),
      impact_work_(place_of_impact_work(motion)),
      most_frames_(std::max<std::size_t>(
          std::min(limits.frames,
                   limits.scene_values / std::max<std::size_t>(scene.frame_size(), 1)),
          2)) {}

double PageRecorder::Implementation::h_at(double t, std::span<const double> q,
                                          std::span<const double> v) {
  std::size_t input = 0;
  *h_.input(h_workspace_, input++) = t;
  for (const auto& values : {q, v}) {
    for (const double x : values) *h_.input(h_workspace_, input++) = x;
  }
  h_.run(h_workspace_);
  return *h_.output(h_workspace_, 0);
}

/// h(t) - h(0) - work, as motion/simulation_core.cpp has it.
double PageRecorder::Implementation::balance(const motion::Sample& s) {
  if (table.total() == 0) {
    const auto start = this->start();
    h_start_ = start ? h_at(start->t, start->q, start->v) : std::nan("");
    potential_start_ = *h_.output(h_workspace_, 1);
  }
  const double impacts = impact_work_ < s.outputs.size() ? s.outputs[impact_work_] : 0;
  const double work = s.work_applied + s.work_ideal + s.work_nonideal + s.work_other + impacts;
  if (!turns_.empty()) h_.bind(h_workspace_, 0, turns_.parameters(s.outputs));
  const double h = h_at(s.t, s.q, s.v);
  for (const double size : {s.kinetic, s.potential - potential_start_, s.work_applied, s.work_ideal,
                            s.work_nonideal, s.work_other, impacts}) {
    energy_scale = std::max(energy_scale, std::abs(size));
  }
  return h - h_start_ - work;
}

/// At the first sample, unless samples are taken from later on.
std::optional<motion::State> PageRecorder::Implementation::start() const {
  if (first.t == 0 && !first.q.empty()) return first;
  if (given_start) return given_start;
  if (auto start = motion::initial_state(motion_)) return std::move(start->state);
  return std::nullopt;
}

void PageRecorder::Implementation::add(const motion::Sample& sample) {
  if (table.total() == 0) {
    first = {sample.t,
             {sample.q.begin(), sample.q.end()},
             {sample.v.begin(), sample.v.end()},
             {sample.mu.begin(), sample.mu.end()}};
  }
  row_.back() = balance(sample);
  layout_.fill(sample, std::span(row_).first(layout_.size()));
  add_frame(sample);
  table.add(row_);
}

/// Every so many-th row. One place is left for the last one.
void PageRecorder::Implementation::add_frame(const motion::Sample& sample) {
  if (scene.empty()) return;
  keep(sample);
  const std::size_t index = table.total();
  if (index % frame_every_ != 0) return;
  if (scene.frames() + 1 >= most_frames_) {
    scene.thin();
    frame_every_ *= 2;
    if (index % frame_every_ != 0) return;
  }
  scene.add(sample);
  last_is_frame_ = true;
}

void PageRecorder::Implementation::keep(const motion::Sample& sample) {
  last_is_frame_ = false;
  last_values_.clear();
  for (const auto& part :
       {sample.q, sample.v, sample.qdd, sample.ideal, sample.nonideal, sample.outputs})
    last_values_.insert(last_values_.end(), part.begin(), part.end());
  last_ = sample;
  const double* next = last_values_.data();
  for (auto* part :
       {&last_.q, &last_.v, &last_.qdd, &last_.ideal, &last_.nonideal, &last_.outputs}) {
    *part = {next, part->size()};
    next += part->size();
  }
  last_.residuals = last_.rates = last_.mu = {};
  last_touches_.assign(sample.touches.begin(), sample.touches.end());
  last_.touches = last_touches_;
}

nlohmann::ordered_json PageRecorder::Implementation::scene_value(
    std::vector<double>& values) const {
  return scene_document(scene, values, last_is_frame_ || table.total() == 0 ? nullptr : &last_);
}

PageRecorder::PageRecorder(const motion::Motion& motion, long samples, const PageLimits& limits)
    : implementation_(std::make_unique<Implementation>(
          motion, static_cast<std::size_t>(std::max(samples, 1L)), limits)) {}
PageRecorder::~PageRecorder() = default;
PageRecorder::PageRecorder(PageRecorder&&) noexcept = default;
PageRecorder& PageRecorder::operator=(PageRecorder&&) noexcept = default;

void PageRecorder::set_start(motion::State start) {
  implementation_->given_start = std::move(start);
}

void PageRecorder::add(const motion::Sample& sample) {
  implementation_->add(sample);
}

}  // namespace dalembert::report
