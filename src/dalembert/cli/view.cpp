#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/cli/view/file.hpp"
#include "dalembert/cli/view/server.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/solve/method.hpp"

namespace dalembert::cli {

namespace {

using std::chrono_literals::operator""ms;

constexpr int largest_port = 65535;

/// The signals that ask the program to end, but for those that are ignored already (nohup).
sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  return set;
}

/// Hands the address to the desktop, if there is one. What becomes of it is not waited for.
void open_browser(const std::string& address) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return;
  ::signal(SIGCHLD, SIG_IGN);  // no zombie stays
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  sigaddset(&standard, SIGCHLD);
  sigaddset(&standard, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  // In a group of its own, so that Ctrl-C ends the server and not the browser.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open";
  std::string argument = address;
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  ::posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

std::optional<int> port_of(const ViewOptions& given) {
  if (!given.port) return 0;
  int port = 0;
  const char* const end = given.port->data() + given.port->size();
  const auto [stopped, error] = std::from_chars(given.port->data(), end, port);
  if (error == std::errc() && stopped == end && port >= 0 && port <= largest_port) return port;
  complain(
      fmt::format("--port {}: must be a whole number from 0 to {}", *given.port, largest_port));
  return std::nullopt;
}

/// Whether the options fit the model, with the initial values that they give; complains where they
/// do not. A model with errors in it is for the page to mend.
bool fits(const ViewFile& file, const ViewOptions& given,
          const std::map<std::string, std::string>& settings,
          std::map<std::string, double>& initial) {
  if (given.method && !motion::method_from_string(*given.method)) {
    const auto known = model::known_methods();
    const std::string meant =
        expr::did_you_mean(*given.method, std::vector<std::string>(known.begin(), known.end()));
    complain(fmt::format("no method '{}'{}", *given.method,
                         meant.empty() ? "; there are " + motion::method_names() : meant));
    return false;
  }
  const auto model = model::read_model_text(file.text(), file.name());
  if (!model) {
    complain(model.error());
    return true;
  }
  const auto parameters = model::parameter_values(*model, settings);
  if (!parameters && parameters.error().source == nullptr) {
    complain(parameters.error());
    return false;
  }
  const auto assignments = assignments_of(given.at, *model, {});
  if (!assignments) return false;
  for (const Assignment& assignment : *assignments) {
    if (!parameters) continue;
    const auto value = value_of(assignment, *model, *parameters);
    if (!value) return false;
    initial.emplace(assignment.name, *value);
  }
  return true;
}

}  // namespace

int view(const ViewOptions& given) {
  const auto settings = settings_of(given);
  const auto port = port_of(given);
  if (!settings || !port) return bad_input;
  auto file = ViewFile::open(given.model);
  if (!file) {
    complain(file.error());
    return bad_input;
  }
  std::map<std::string, double> initial;
  if (!fits(*file, given, *settings, initial)) return bad_input;

  // Threads inherit the mask: signals are for this one alone, which waits for them.
  const sigset_t ending = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  Worker worker(Workbench(file->name(), *settings, given.method, std::move(initial)));
  ViewService service(*std::move(file), worker);
  ViewServer server(service);
  if (const auto problem = server.start(*port)) {
    complain(*problem);
    return bad_input;
  }
  std::fputs((server.address() + "\n").c_str(), stdout);
  if (std::fflush(stdout) != 0) return bad_input;  // main says so
  if (!given.quiet) std::fputs("Ctrl-C ends it.\n", stderr);
  if (!given.no_browser) open_browser(server.address());

  const timespec while_waiting = {.tv_sec = 1, .tv_nsec = 0};
  while (server.is_running() && ::sigtimedwait(&ending, nullptr, &while_waiting) < 0) {
  }
  const bool asked = server.is_running();
  const bool idle = worker.end(500ms);
  server.stop();
  if (!asked) {
    complain("the server has ended: no more connections could be accepted");
    if (idle) return gave_up;
  }
  // A model that is being compiled cannot be interrupted, and has nothing that anybody waits for.
  if (!idle) std::_Exit(asked ? done : gave_up);
  return done;
}

}  // namespace dalembert::cli
