#include "dalembert/cli/view/service.hpp"

#include <nlohmann/json.hpp>

#include "dalembert/cli/view/simulate.hpp"
#include "dalembert/report/page/page.hpp"

namespace dalembert::cli {

namespace {

constexpr int bad_request = 400;
constexpr int forbidden = 403;
constexpr int conflict = 409;

}  // namespace

std::string ViewService::page() {
  const std::lock_guard lock(mutex_);
  return report::live_page_html({file_.name(), text_, file_.can_save()});
}

std::variant<std::shared_ptr<Job>, Reply> ViewService::simulate(const std::string& body) {
  auto request = read_simulate_request(body);
  if (!request) return Reply{bad_request, error_json(request.error())};
  return worker_.start(*std::move(request));
}

Reply ViewService::save(const std::string& body) {
  const auto request = read_save_request(body);
  if (!request) return {bad_request, error_json(request.error())};
  const std::lock_guard lock(mutex_);
  const ViewFile::Outcome outcome = file_.save(request->text, request->replace);
  if (outcome.saved != ViewFile::Saved::yes) {
    return {outcome.saved == ViewFile::Saved::changed ? conflict : forbidden,
            error_json(outcome.problem)};
  }
  text_ = request->text;
  return {200, nlohmann::json{{"saved", file_.name()}}.dump(
                   -1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace dalembert::cli
