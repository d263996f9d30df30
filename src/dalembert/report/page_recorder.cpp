#include "dalembert/report/page_recorder.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/motion/values.hpp"

namespace dalembert::report {

namespace {

std::vector<Column> page_columns(const motion::Motion& motion) {
  std::vector<Column> columns = trajectory_columns(motion);
  columns.push_back({"balance", Group::balance});
  return columns;
}

codegen::Kernel h_kernel(const mechanics::Equations& eq) {
  return codegen::interpreted(
      codegen::make_tape(std::vector{eq.h}, motion::state_symbols(eq), eq.parameters));
}

}  // namespace

PageRecorder::Implementation::Implementation(const motion::Motion& motion, std::size_t samples,
                                             const PageLimits& limits)
    : columns(page_columns(motion)),
      table(columns.size(), samples, std::min(limits.rows, limits.values / columns.size())),
      scene(motion),
      layout_(motion),
      row_(columns.size()),
      h_(h_kernel(motion.equations())),
      h_workspace_(h_.workspace(motion.parameters())),
      expected_(samples),
      most_frames_(std::max<std::size_t>(
          std::min(limits.frames,
                   limits.scene_values / std::max<std::size_t>(scene.frame_size(), 1)),
          2)),
      frame_every_(1) {
  if (expected_ > most_frames_)
    frame_every_ = (expected_ - 1 + most_frames_ - 2) / (most_frames_ - 1);
}

/// h(t) - h(0) - work, as motion/simulation_core.cpp has it.
double PageRecorder::Implementation::balance(const motion::Sample& s) {
  std::size_t input = 0;
  *h_.input(h_workspace_, input++) = s.t;
  for (const auto& values : {s.q, s.v}) {
    for (const double x : values) *h_.input(h_workspace_, input++) = x;
  }
  h_.run(h_workspace_);
  const double work = s.work_applied + s.work_ideal + s.work_nonideal + s.work_other;
  const double h = *h_.output(h_workspace_, 0);
  if (table.total() == 0) {
    h_start_ = h - work;
    potential_start_ = s.potential;
  }
  for (const double size : {s.kinetic, s.potential - potential_start_, s.work_applied, s.work_ideal,
                            s.work_nonideal, s.work_other}) {
    energy_scale = std::max(energy_scale, std::abs(size));
  }
  return h - h_start_ - work;
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

/// Every so many-th row, and the last of those expected.
void PageRecorder::Implementation::add_frame(const motion::Sample& sample) {
  if (scene.empty()) return;
  const std::size_t index = table.total();
  if (index % frame_every_ != 0 && index + 1 != expected_) return;
  if (scene.frames() >= most_frames_) {
    scene.thin();
    frame_every_ *= 2;
    if (index % frame_every_ != 0) return;
  }
  scene.add(sample);
}

PageRecorder::PageRecorder(const motion::Motion& motion, long samples, const PageLimits& limits)
    : implementation_(std::make_unique<Implementation>(
          motion, static_cast<std::size_t>(std::max(samples, 1L)), limits)) {}
PageRecorder::~PageRecorder() = default;
PageRecorder::PageRecorder(PageRecorder&&) noexcept = default;
PageRecorder& PageRecorder::operator=(PageRecorder&&) noexcept = default;

void PageRecorder::add(const motion::Sample& sample) {
  implementation_->add(sample);
}

}  // namespace dalembert::report
