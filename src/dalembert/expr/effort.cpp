#include "dalembert/expr/effort.hpp"

namespace dalembert::expr {

namespace {

thread_local Effort* innermost = nullptr;

}  // namespace

Effort::Effort(double most) : left_(most), outer_(innermost) {
  innermost = this;
}

Effort::~Effort() {
  innermost = outer_;
}

void Effort::spend(double terms) {
  for (Effort* scope = innermost; scope != nullptr; scope = scope->outer_) {
    scope->left_ -= terms;
    if (scope->left_ < 0) throw Spent();
  }
}

}  // namespace dalembert::expr
