#include "dalembert/cli/view/simulate.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/page/page.hpp"

namespace dalembert::cli {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double progress_after = 0.1;  // s, between two lines
constexpr double document_after = 1.0;  // s, between two documents of a motion on its way
/// A document on the way may take this part of the time at most.
constexpr double document_share = 0.1;

/// What a page gets many times a second while a slider is moved is kept small.
constexpr report::PageLimits page_limits{
    .values = 1'000'000, .rows = 20'000, .scene_values = 500'000, .frames = 2'000};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string dumped(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string progress_json(double t, double duration, double seconds) {
  ordered_json line;
  line["progress"] = {{"t", t}, {"duration", duration}, {"seconds", seconds}};
  return dumped(line);
}

std::string document_json(const report::PageData& data, bool partial) {
  return R"({"document":)" + data.document + R"(,"values":")" + report::base64(data.values) +
         R"(","partial":)" + (partial ? "true}" : "false}");
}

/// One motion as it goes to the page.
class Answer {
 public:
  Answer(Job& job, PreparedMotion prepared, Clock::time_point begin)
      : job_(job),
        prepared_(std::move(prepared)),
        begin_(begin),
        recorder_(prepared_.motion, rows(), page_limits) {
    prepared_.options.stop = &job.stopped();
  }

  void run() {
    const motion::Motion& motion = prepared_.motion;
    motion::Summary summary = motion::simulate(
        motion, prepared_.start.state, prepared_.options,
        [this](const motion::Sample& sample) {
          recorder_.add(sample);
          ++recorded_;
          return !job_.stopped();
        },
        [this](double t) { on_the_way(t); });
    if (job_.stopped()) return;
    summary.adjusted = prepared_.start.adjusted;
    summary.changes = prepared_.start.changes;
    if (motion::is_mechanical(motion.method()))
      summary.unique_reactions = motion::calc_unique_reactions(motion, prepared_.start.state);
    // To derive the equations in a form to be read can take longer than the motion.
    if (job_.request().equations) job_.document(document(summary, false, true));
    if (job_.stopped()) return;
    job_.finish(document(summary, job_.request().equations, false));
  }

 private:
  long rows() const {
    const auto& options = prepared_.options;
    return options.times.empty() ? options.samples : static_cast<long>(options.times.size());
  }

  std::string document(const motion::Summary& summary, bool equations, bool partial) const {
    return document_json(
        report::page_data(prepared_.motion, prepared_.options, summary, recorder_,
                          {.equations = equations, .parameters = prepared_.parameters}),
        partial);
  }

  void on_the_way(double t) {
    const double now = seconds_since(begin_);
    if (now >= next_progress_) {
      next_progress_ = now + progress_after;
      job_.progress(progress_json(t, prepared_.options.duration, now));
    }
    if (now < next_document_ || recorded_ < 2) return;
    motion::Summary so_far;
    so_far.t = t;
    job_.document(document(so_far, false, true));
    const double after = seconds_since(begin_);
    next_document_ = after + std::max(document_after, (after - now) / document_share);
  }

  Job& job_;
  PreparedMotion prepared_;
  Clock::time_point begin_;
  report::PageRecorder recorder_;
  long recorded_ = 0;
  double next_progress_ = progress_after;
  double next_document_ = document_after;
};

}  // namespace

std::string error_json(const model::ModelError& error, const std::vector<std::string>& unknown) {
  ordered_json diagnostics = ordered_json::array();
  for (const model::Diagnostic& diagnostic : error.diagnostics) {
    diagnostics.push_back({{"message", diagnostic.message},
                           {"line", diagnostic.where.line},
                           {"column", diagnostic.where.column},
                           {"length", diagnostic.where.length},
                           {"details", diagnostic.details}});
  }
  ordered_json line;
  line["error"] = {{"text", to_string(error)}, {"diagnostics", std::move(diagnostics)}};
  if (!unknown.empty()) line["error"]["unknown"] = unknown;
  return dumped(line);
}

std::string error_json(const std::string& message) {
  return error_json(model::ModelError{nullptr, {{message}}});
}

void simulate_for_page(Job& job, Workbench& bench) noexcept {
  const Clock::time_point begin = Clock::now();
  const auto give_up = [&job](const char* json) {
    try {
      job.finish(json);
    } catch (...) {
      job.cancel();
    }
  };
  try {
    auto prepared = bench.prepare(job.request());
    if (job.stopped()) return;
    if (!prepared) {
      job.finish(error_json(prepared.error().error, prepared.error().unknown));
      return;
    }
    Answer(job, *std::move(prepared), begin).run();
  } catch (const std::bad_alloc&) {
    give_up(R"({"error":{"text":"there is not enough memory","diagnostics":[]}})");
  } catch (const std::exception& error) {
    try {
      job.finish(error_json(std::string("internal error: ") + error.what()));
    } catch (...) {
      give_up(R"({"error":{"text":"internal error","diagnostics":[]}})");
    }
  }
}

}  // namespace dalembert::cli
