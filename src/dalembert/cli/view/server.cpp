#include "dalembert/cli/view/server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "dalembert/cli/view/connection.hpp"
#include "dalembert/cli/view/guard.hpp"
#include "dalembert/report/page/page_template.hpp"

namespace dalembert::cli {

namespace {

using std::chrono_literals::operator""ms;

constexpr const char* host = "127.0.0.1";
/// Browsers use six at most; the rest is for those that are slow to go away. One more makes the
/// oldest go that has not yet shown the token.
constexpr std::size_t most_connections = 32;
constexpr auto eviction_patience = 200ms;
/// A text of the largest size, with every other character escaped, and the numbers beside it.
constexpr std::size_t largest_body = 2 * model::largest_model_file + (1u << 20);

/// The page may do what it says of itself (run its own script, show its own pictures and ask this
/// server), and nobody may frame it.
httplib::Headers headers() {
  return {
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Content-Security-Policy", std::string(report::page_policy()) + "; frame-ancestors 'none'"}};
}

class HttpStream final : public httplib::Stream {
 public:
  explicit HttpStream(Connection& connection) : connection_(connection) {}
  bool is_readable() const override { return true; }  // reading has a deadline
  bool is_writable() const override { return connection_.is_open(); }
  ssize_t read(char* into, size_t size) override { return connection_.read(into, size); }
  ssize_t write(const char* from, size_t size) override { return connection_.write(from, size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = host;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = host;
    port = 0;
  }
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
};

/// The connection that a thread serves.
thread_local int own_socket = -1;

/// Set on a thread that has no time for the connection it is about to process.
thread_local bool refusing = false;

std::vector<std::string> all_of(const httplib::Request& request, const char* name) {
  std::vector<std::string> values;
  const auto [begin, end] = request.headers.equal_range(name);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

RequestHead head_of(const httplib::Request& request) {
  return {.method = request.method,
          .target = request.target,
          .host = all_of(request, "Host"),
          .origin = all_of(request, "Origin"),
          .fetch_site = all_of(request, "Sec-Fetch-Site"),
          .content_type = all_of(request, "Content-Type"),
          .content_length = all_of(request, "Content-Length"),
          .has_transfer_encoding = request.has_header("Transfer-Encoding"),
          .has_content_encoding = request.has_header("Content-Encoding")};
}

}  // namespace

/// httplib reads requests and writes answers; sockets, threads and who may ask are looked after
/// here.
class ViewServer::Implementation final : public httplib::Server {
 public:
  explicit Implementation(ViewService& service) : service_(service), token_(random_token()) {
    set_default_headers(headers());
    set_payload_max_length(largest_body);
    set_socket_options([](socket_t socket) {
      // Ports that have just been left are taken again, those in use are not.
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    });
    new_task_queue = [this] { return new Threads([this] { return evict(); }); };
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const Judgement judgement = guard_->judge(head_of(request));
      if (judgement.status == 200) {
        const std::lock_guard lock(mutex_);
        for (Open& open : open_) open.welcome = open.welcome || open.socket == own_socket;
        return HandlerResponse::Unhandled;
      }
      response.status = judgement.status;
      return HandlerResponse::Handled;
    });
    const std::string base = "/" + token_ + "/";
    Get(base, [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(service_.page(), "text/html; charset=utf-8");
    });
    Get(base + "alive", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(R"({"alive":true})", "application/json");
    });
    Post(base + "save", [this](const httplib::Request& request, httplib::Response& response) {
      put(service_.save(request.body), response);
    });
    Post(base + "simulate", [this](const httplib::Request& request, httplib::Response& response) {
      simulate(request, response);
    });
  }

  ~Implementation() override { stop_all(); }

  std::optional<std::string> start(int port) {
    errno = 0;
    const bool bound = port == 0 ? (port = bind_to_any_port(host)) > 0 : bind_to_port(host, port);
    if (!bound) {
      return fmt::format("cannot listen on {}:{}: {}", host, std::max(port, 0),
                         errno == 0 ? "the port is not available" : std::strerror(errno));
    }
    guard_.emplace(token_, port, largest_body);
    address_ = fmt::format("http://{}:{}/{}/", host, port, token_);
    running_ = true;
    thread_ = std::thread([this] {
      listen_after_bind();
      running_ = false;
    });
    return std::nullopt;
  }

  const std::string& address() const { return address_; }
  bool running() const { return running_; }

  void stop_all() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    while (running_) {  // to stop what has not yet begun to listen does nothing
      stop();
      {
        const std::lock_guard lock(mutex_);
        for (const Open& open : open_) ::shutdown(open.socket, SHUT_RDWR);
      }
      std::this_thread::sleep_for(10ms);
    }
    thread_.join();
  }

 private:
  /// A connection, in the order of their coming.
  struct Open {
    int socket = -1;
    bool welcome = false;  ///< has shown the token
  };

  /// Ends the oldest connection that is not welcome. False if all are.
  bool evict() {
    const std::lock_guard lock(mutex_);
    const auto oldest =
        std::find_if(open_.begin(), open_.end(), [](const Open& open) { return !open.welcome; });
    if (oldest == open_.end()) return false;
    ::shutdown(oldest->socket, SHUT_RDWR);  // its thread sees the end, and closes it
    return true;
  }

  /// A thread a connection, as long as there are not too many.
  class Threads final : public httplib::TaskQueue {
   public:
    explicit Threads(std::function<bool()> make_room) : make_room_(std::move(make_room)) {}

    void enqueue(std::function<void()> task) override {
      std::unique_lock lock(mutex_);
      const auto is_room = [this] { return count_ < most_connections; };
      if (!is_room() && make_room_()) ended_.wait_for(lock, eviction_patience, is_room);
      if (is_room() && begin(task)) return;
      lock.unlock();
      refusing = true;
      task();
      refusing = false;
    }

    void shutdown() override {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, [this] { return count_ == 0; });
    }

   private:
    bool begin(const std::function<void()>& task) {
      try {
        std::thread([this, task] {
          task();
          const std::lock_guard lock(mutex_);
          --count_;
          ended_.notify_all();
        }).detach();
      } catch (const std::system_error&) {
        return false;  // no more threads
      }
      ++count_;
      return true;
    }

    std::function<bool()> make_room_;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t count_ = 0;
  };

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket);
    if (refusing) {
      constexpr std::string_view busy =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      ::send(socket, busy.data(), busy.size(), MSG_NOSIGNAL);
      return false;
    }
    {
      const std::lock_guard lock(mutex_);
      open_.push_back({socket});
    }
    own_socket = socket;
    bool answered = false;
    if (!stopping_) {
      HttpStream stream(connection);
      bool closed = false;
      answered = process_request(stream, true, closed, [&connection](httplib::Request& request) {
        connection.head_is_read();
        // The whole answer, as it is: it does not travel far.
        request.headers.erase("Accept-Encoding");
        request.ranges.clear();
      });
      if (answered) connection.close_gently();
    }
    const std::lock_guard lock(mutex_);
    open_.erase(std::find_if(open_.begin(), open_.end(),
                             [socket](const Open& open) { return open.socket == socket; }));
    return answered;
  }

  static void put(const Reply& reply, httplib::Response& response) {
    response.status = reply.status;
    response.set_content(reply.body, "application/json");
  }

  void simulate(const httplib::Request& request, httplib::Response& response) {
    auto answer = service_.simulate(request.body);
    if (const auto* reply = std::get_if<Reply>(&answer)) return put(*reply, response);
    const auto job = std::get<std::shared_ptr<Job>>(answer);
    response.set_chunked_content_provider(
        "application/x-ndjson",
        [job](std::size_t, httplib::DataSink& sink) {
          const auto text = job->next(100ms);
          if (!text) {
            sink.done();
            return true;
          }
          if (text->empty()) return sink.is_writable();
          return sink.write(text->data(), text->size());
        },
        [job](bool) { job->cancel(); });
  }

  ViewService& service_;
  const std::string token_;
  std::optional<ViewGuard> guard_;
  std::string address_;
  std::atomic<bool> running_ = false, stopping_ = false;
  std::mutex mutex_;
  std::vector<Open> open_;
  std::thread thread_;
};

ViewServer::ViewServer(ViewService& service)
    : implementation_(std::make_unique<Implementation>(service)) {}
ViewServer::~ViewServer() = default;

std::optional<std::string> ViewServer::start(int port) {
  return implementation_->start(port);
}

const std::string& ViewServer::address() const {
  return implementation_->address();
}

bool ViewServer::is_running() const {
  return implementation_->running();
}

void ViewServer::stop() {
  implementation_->stop_all();
}

}  // namespace dalembert::cli
