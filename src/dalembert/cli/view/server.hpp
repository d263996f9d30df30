#pragma once
/// The server of `view`, on this machine's own address 127.0.0.1 and on no other: HTTP in front of
/// a ViewService. It answers one request a connection, few connections at once, and waits for
/// nobody who is slow to say what he wants.

#include <memory>
#include <optional>
#include <string>

#include "dalembert/cli/view/service.hpp"

namespace dalembert::cli {

class ViewServer {
 public:
  /// `service` outlives the server.
  explicit ViewServer(ViewService& service);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  /// Takes a port, a free one for 0, and begins to answer. Says why it cannot.
  std::optional<std::string> start(int port);
  /// http://127.0.0.1:PORT/TOKEN/
  const std::string& address() const;
  /// False once it has ended, whatever the reason.
  bool is_running() const;
  /// Closes all connections and waits for the threads behind them.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dalembert::cli
