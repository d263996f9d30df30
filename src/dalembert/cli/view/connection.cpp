#include "dalembert/cli/view/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dalembert::cli {

namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr auto head_patience = 5s;
constexpr auto body_patience = 30s;
constexpr auto write_patience = 30s;  // with nothing taken
constexpr auto farewell = 500ms;
constexpr std::size_t largest_head = 32 << 10;  // bytes

}  // namespace

Connection::Connection(int socket) : socket_(socket), deadline_(Clock::now() + head_patience) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

Connection::~Connection() {
  ::close(socket_);
}

bool Connection::wait(short events, Clock::time_point until) const {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{socket_, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

ssize_t Connection::read(char* into, std::size_t size) {
  if (begin_ == end_) {
    if (reading_head_ && head_ >= largest_head) return -1;
    ssize_t got = -1;
    do {
      if (!wait(POLLIN, deadline_)) return -1;
      got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    } while (got < 0 && (errno == EAGAIN || errno == EINTR));
    if (got <= 0) return got;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    if (reading_head_) head_ += end_;
  }
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(into, buffer_.data() + begin_, count);
  begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  const Clock::time_point until = Clock::now() + write_patience;
  while (true) {
    const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !wait(POLLOUT, until)) return -1;
  }
}

void Connection::head_is_read() {
  reading_head_ = false;
  deadline_ = Clock::now() + body_patience;
}

bool Connection::is_open() const {
  pollfd watched{socket_, POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) <= 0 || (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

void Connection::close_gently() {
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point until = Clock::now() + farewell;
  while (wait(POLLIN, until)) {
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

}  // namespace dalembert::cli
