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
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace dalembert::expr {

/// Of the thread that makes it, until it is destroyed. Scopes may be nested; all of them count.
class Effort {
 public:
  /// `most`: terms of polynomials that are looked at or written, and parts of expressions that are,
  /// a few of which count for one; some millions a second.
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

  /// Called by the algebra before it does the work. Throws `Spent` where the scope allows no more.
  static void spend(double terms);
  /// Called by other work that may last, a few times in a tenth of a second.
  static void poll() { spend(0); }

 private:
  Effort(double most, const std::atomic<bool>* stop);

  double left_;
  const std::atomic<bool>* stop_;
  Effort* outer_;
};

/// What `work` returns, or nothing if it takes more effort than `most`. Where it is an outer scope
/// that is spent, that is passed on.
template <class Work>
auto within(double most, Work work) -> std::optional<decltype(work())> {
  try {
    const Effort bound(most);
    return work();
  } catch (const Effort::Spent&) {
    Effort::poll();
    return std::nullopt;
  }
}

/// For work of several parts that somebody waits for.
struct Patience {
  double most = std::numeric_limits<double>::infinity();  ///< effort allowed to each part
  /// Told what is being done, "deriving maggi (5 of 13)"; may be empty.
  std::function<void(const std::string&)> tell = {};

  void say(const std::string& what) const {
    if (tell) tell(what);
  }
};

}  // namespace dalembert::expr
