#include <algorithm>
#include <cstdio>

#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/report/check.hpp"

namespace dalembert::cli {

int check(const CommonOptions& options) {
  const std::string method = options.method.value_or("");
  if (!method.empty() && method != "all" && !is_formulation(method)) return bad_input;
  CommonOptions plain = options;
  plain.method = "m-inverse";
  const auto motion = compile_for(plain);
  if (!motion || !small_enough_for("check", *motion)) return bad_input;
  const auto written = motion->written_initial_state();
  if (!written) {
    complain(written.error());
    return bad_input;
  }
  const motion::Residuals residuals = motion->residuals(written->t, written->q, written->v);
  double largest = 0;
  for (std::size_t j = 0; j < motion->constraints(); ++j)
    largest = std::max({largest, residuals.scaled[j], residuals.scaled_rate[j]});
  const auto start = [&] {
    const Waiting waiting("finding the initial state", shows_progress(options));
    return motion::initial_state(*motion);
  }();
  const bool consistent = largest <= motion::initial_tolerance || static_cast<bool>(start);
  if (!start && consistent) {  // not a matter of consistency: the model is wrong at its start
    complain(start.error());
    return bad_input;
  }
  report::CheckReport report = [&] {
    Waiting waiting("classifying the constraints", shows_progress(options));
    const bool all = method.empty() || method == "all";
    const expr::Patience patience{all ? effort_among_all : effort_alone,
                                  [&waiting](const std::string& what) { waiting.tell(what); }};
    return report::check(*motion, start ? start->state : *written, all ? "" : method, patience);
  }();
  report.adjusted = start && start->adjusted;
  report.consistent = consistent;
  report.residual = largest;
  if (!options.quiet || options.json) {
    if (options.json) {
      std::fputs(report::check_json(report).c_str(), stdout);
    } else {
      print(report::check_text(report));
    }
  }
  if (!start) complain(start.error());
  return report.passed() ? done : answer_is_no;
}

}  // namespace dalembert::cli
