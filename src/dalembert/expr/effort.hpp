#pragma once
/// A bound on the algebra that is done in a scope, for those who would rather have no answer than
/// wait for it. The same question takes the same effort every time and everywhere.
///
///     try {
///       const Effort effort(1e5);
///       ... simplify, decide_zero ...
///     } catch (const Effort::Spent&) {
///       ... it would have taken longer ...
///     }

#include <atomic>
#include <exception>
#include <limits>

namespace dalembert::expr {

/// Of the thread that makes it, until it is destroyed. Scopes may be nested; all of them count.
class Effort {
 public:
  /// `most`: terms of polynomials that are looked at or written, about; a few millions a second.
  explicit Effort(double most) : Effort(most, nullptr) {}
  /// Without a bound, until `stop` is set from elsewhere: from then on it is spent.
  explicit Effort(const std::atomic<bool>& stop)
      : Effort(std::numeric_limits<double>::infinity(), &stop) {}
  ~Effort();
  Effort(const Effort&) = delete;
  Effort& operator=(const Effort&) = delete;

  struct Spent : std::exception {
    const char* what() const noexcept override { return "the effort allowed is spent"; }
  };

  double left() const { return left_; }

  /// Called by the algebra. Throws `Spent` where the scope allows no more.
  static void spend(double terms);

 private:
  Effort(double most, const std::atomic<bool>* stop);

  double left_;
  const std::atomic<bool>* stop_;
  Effort* outer_;
};

}  // namespace dalembert::expr
