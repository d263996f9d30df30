#include "dalembert/expr/effort.hpp"

namespace dalembert::expr {

namespace {

thread_local Effort* innermost = nullptr;

}  // namespace

Effort::Effort(double most, const std::atomic<bool>* stop)
    : left_(most), stop_(stop), outer_(innermost) {
  innermost = this;
}

Effort::~Effort() {
  innermost = outer_;
}

void Effort::spend(double terms) {
  for (Effort* scope = innermost; scope != nullptr; scope = scope->outer_) {
    scope->left_ -= terms;
    if (scope->left_ < 0) throw Spent();
    if (scope->stop_ != nullptr && scope->stop_->load(std::memory_order_relaxed)) throw Spent();
  }
}

}  // namespace dalembert::expr
