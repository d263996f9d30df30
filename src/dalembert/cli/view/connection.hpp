#pragma once
/// One connection as a pair of deadlines: a request has to be there in time as a whole, and an
/// answer has to be taken.

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>

namespace dalembert::cli {

/// Closes the socket when it is destroyed.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Connection(int socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket() const { return socket_; }
  /// -1 when it is too late, too much before `head_is_read`, or the other side has failed.
  ssize_t read(char* into, std::size_t size);
  /// -1 when nothing has been taken for a while, or the other side is gone.
  ssize_t write(const char* from, std::size_t size);
  /// Headers are whole: a body may follow, in time of its own.
  void head_is_read();
  /// Whether the other side still listens.
  bool is_open() const;
  /// Ends what is said, and reads for a moment what the other side still sends: else it would lose
  /// the answer.
  void close_gently();

 private:
  bool wait(short events, Clock::time_point until) const;

  int socket_;
  Clock::time_point deadline_;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0, end_ = 0, head_ = 0;
  bool reading_head_ = true;
};

}  // namespace dalembert::cli
