#include <fmt/format.h>

#include <cstdio>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/report/linearisation.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/page/modes_page.hpp"
#include "dalembert/study/linear/equilibrium.hpp"
#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::cli {

int linearise(const LineariseOptions& options) {
  const auto motion = compile_for(options);
  if (!motion) return bad_input;
  if (const auto objection = study::linearisation_objection(*motion)) {
    complain(model::error_in(motion->model(), *objection));
    return bad_input;
  }
  const auto given = given_values(options.at, *motion);
  if (!given) return bad_input;
  const auto written = motion::written_start(*motion, *given);
  if (!written) {
    complain(written.error());
    return bad_input;
  }
  const auto start = motion::initial_state(*motion, *written);
  if (!start) {
    complain(start.error());
    return bad_input;
  }
  motion::State point = start->state;
  if (options.equilibrium) {
    const auto found = study::find_equilibrium(*motion, point);
    if (!found) {
      complain("no equilibrium found near the initial state: " + found.error());
      return answer_is_no;
    }
    point = found->state;
  }
  study::LinearisationOptions which;
  which.inputs = study::inputs_of(motion->model());
  const auto linear = study::linearise(*motion, point, which);
  if (!linear) {
    complain(model::error_in(
        motion->model(),
        linear.error() + (options.equilibrium ? "" : "; --equilibrium looks for one nearby")));
    return bad_input;
  }
  const std::string json = report::linearisation_json(*motion, *linear);
  if (options.out) {
    const std::string page = page_html(report::modes_page(*motion, *linear));
    if (const auto problem = report::write_files(
            *options.out, {{"linearisation.json", json}, {"report.html", page}})) {
      complain(*problem);
      return bad_input;
    }
  }
  if (options.json) {
    std::fputs(json.c_str(), stdout);
  } else if (!options.quiet) {
    print(report::linearisation_text(*motion, *linear));
    if (options.out)
      print(fmt::format("wrote {}/: linearisation.json, report.html\n", *options.out));
  }
  return done;
}

}  // namespace dalembert::cli
