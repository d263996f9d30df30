#pragma once
/// A value or the reason why there is none. Used wherever a user's input can be wrong; exceptions
/// are kept for bugs and failures of the machine.

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace dalembert::expr {

/// Marks the second alternative, so that `return Failure{...}` reads as what it is.
template <class E>
struct Failure {
  E error;
};
template <class E>
Failure(E) -> Failure<E>;

template <class T, class E>
class Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  template <class F>
  Result(Failure<F> failure) : content_(std::in_place_index<1>, std::move(failure.error)) {}

  explicit operator bool() const { return content_.index() == 0; }

  T& operator*() & { return std::get<0>(content_); }
  const T& operator*() const& { return std::get<0>(content_); }
  T&& operator*() && { return std::get<0>(std::move(content_)); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }

  /// The value, for programs that have no better answer to a failure than to stop: throws
  /// std::runtime_error with the error, or to_string(error()) where it is not a sentence itself.
  T value() && {
    if (!*this) {
      if constexpr (std::is_convertible_v<const E&, std::string>) {
        throw std::runtime_error(error());
      } else {
        throw std::runtime_error(to_string(error()));
      }
    }
    return std::get<0>(std::move(content_));
  }

  const E& error() const& { return std::get<1>(content_); }
  E&& error() && { return std::get<1>(std::move(content_)); }

 private:
  std::variant<T, E> content_;
};

}  // namespace dalembert::expr
