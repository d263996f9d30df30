#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "dalembert/cli/at.hpp"
#include "dalembert/cli/commands.hpp"
#include "dalembert/cli/progress.hpp"
#include "dalembert/cli/session.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/report/linearisation.hpp"
#include "dalembert/report/output_file.hpp"
#include "dalembert/report/page/branch_page.hpp"
#include "dalembert/study/linear/branch.hpp"

namespace dalembert::cli {

int continue_branch(const ContinueOptions& options) {
  const auto motion = compile_for(options);
  if (!motion) return bad_input;
  study::BranchRequest request;
  request.along = options.along;
  std::vector<std::string> known;
  for (const model::Named& one : motion->model().parameters) {
    if (!model::is_internal(one)) known.push_back(one.name);
  }
  if (std::ranges::find(known, options.along) == known.end()) {
    complain(fmt::format("--along: unknown parameter '{}'{}", options.along,
                         expr::did_you_mean(options.along, known)));
    return bad_input;
  }
  const auto from = number_option("--from", options.from, *motion);
  const auto to = number_option("--to", options.to, *motion);
  if (!from || !to) return bad_input;
  if (*from == *to) {
    complain("--to: the same as --from");
    return bad_input;
  }
  request.from = *from;
  request.to = *to;
  if (options.points) {
    const auto points = number_option("--points", *options.points, *motion);
    if (!points) return bad_input;
    if (!(*points >= 2 && *points <= 5000)) {
      complain(fmt::format("--points {}: 2 to 5000", *options.points));
      return bad_input;
    }
    request.points = static_cast<int>(*points);
  }
  const auto settings = settings_of(options);
  const auto given = given_values(options.at, *motion);
  if (!settings || !given) return bad_input;
  request.settings = *settings;
  request.given = *given;
  const auto branch = [&] {
    const Waiting waiting("following the branch", shows_progress(options));
    return study::follow_branch(*motion, request);
  }();
  if (!branch) {
    complain(branch.error());
    return answer_is_no;
  }
  const std::string json = report::branch_json(*motion, options.along, *branch);
  const std::filesystem::path directory =
      options.out ? std::filesystem::path(*options.out)
                  : std::filesystem::path("out") / (stem_of(options.model) + "-branch");
  const std::string table = report::branch_csv(*motion, options.along, *branch);
  const std::string page = page_html(report::branch_page(*motion, options.along, *branch));
  if (const auto problem = report::write_files(
          directory, {{"branch.csv", table}, {"branch.json", json}, {"report.html", page}})) {
    complain(*problem);
    return bad_input;
  }
  if (options.json) {
    std::fputs(json.c_str(), stdout);
  } else if (!options.quiet) {
    print(report::branch_text(*motion, options.along, *branch) +
          fmt::format("wrote {}/: branch.csv ({} rows), branch.json, report.html\n",
                      directory.string(), branch->points.size()));
  }
  if (branch->complete) return done;
  complain("the branch is not complete: " + branch->reason);
  return gave_up;
}

}  // namespace dalembert::cli
