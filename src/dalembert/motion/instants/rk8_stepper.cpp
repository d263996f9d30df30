#include "dalembert/motion/instants/piece_stepper.hpp"

namespace dalembert::motion {

namespace {

class Rk8Stepper final : public PieceStepper {
 public:
  explicit Rk8Stepper(std::size_t size) : rk_(size) {}

  bool start(double t, std::span<const double> y, Derivative f) override {
    return rk_.start(t, y, f);
  }
  bool go_on(double t, std::span<const double> y, Derivative f) override {
    return rk_.start(t, y, f);
  }
  double attempt(Derivative f, double h, const Tolerance& tolerance) override {
    return rk_.attempt(f, h, tolerance);
  }
  double cut(Derivative f, double h, const Tolerance& tolerance) override {
    return rk_.attempt(f, h, tolerance);
  }
  bool prepare_dense(Derivative f) override { return rk_.prepare_dense(f); }
  void interpolate(double theta, std::span<double> y) override { rk_.interpolate(theta, y); }
  double initial_step(Derivative f, const Tolerance& tolerance, double limit) override {
    return rk_.initial_step(f, tolerance, limit);
  }
  bool chooses_steps() const override { return false; }
  double t() const override { return rk_.t(); }
  double t_new() const override { return rk_.t_new(); }
  std::span<const double> y() const override { return rk_.y(); }
  std::span<const double> y_new() const override { return rk_.y_new(); }
  std::int64_t evaluations() const override { return rk_.evaluations(); }

 private:
  Rk8 rk_;
};

}  // namespace

std::unique_ptr<PieceStepper> make_rk8_stepper(std::size_t size) {
  return std::make_unique<Rk8Stepper>(size);
}

}  // namespace dalembert::motion
