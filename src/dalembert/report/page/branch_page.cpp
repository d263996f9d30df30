#include "dalembert/report/page/branch_page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dalembert/report/json_values.hpp"
#include "dalembert/report/layout.hpp"
#include "dalembert/report/linearisation.hpp"
#include "dalembert/report/page/page_parts.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

/// The parameter, coordinates and velocities, column by column.
Json table_json(const motion::Motion& motion, const std::string& along,
                const std::vector<study::BranchPoint>& points, std::vector<double>& values) {
  const std::vector<std::string>& names = motion.model().coordinates;
  const std::size_t rows = points.size();
  Json table{{"columns", Json::array({{{"name", along}, {"group", "parameter"}}})},
             {"index", values.size()},
             {"rows", rows},
             {"total", rows},
             {"thinned", 0}};
  for (const study::BranchPoint& point : points) values.push_back(point.parameter);
  for (const bool rates : {false, true}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      table["columns"].push_back(
          {{"name", names[i] + (rates ? "'" : "")}, {"group", rates ? "velocity" : "position"}});
      for (const study::BranchPoint& point : points)
        values.push_back(rates ? point.state.v[i] : point.state.q[i]);
    }
  }
  return table;
}

Json eigenvalues_json(const study::BranchPoint& point) {
  Json list = Json::array();
  for (const auto& z : point.eigenvalues) list.push_back({z.real(), z.imag()});
  return list;
}

}  // namespace

PageData branch_page(const motion::Motion& motion, const std::string& along,
                     const study::Branch& branch) {
  PageData data;
  data.name = motion.model().name;
  Json document = page_head(fmt::format("{} · along {} · {}", motion.model().name, along,
                                        count(branch.points.size(), "point")));
  document["model"] = model_json(motion, nullptr, PageOptions{}.parameters);
  document["summary"] = nullptr;
  document["table"] = table_json(motion, along, branch.points, data.values);
  document["instants"] = Json::array();
  document["scene"] = nullptr;
  document["drawing_hint"] = "";
  document["equations"] = {{"method", ""}, {"html", ""}, {"note", ""}};
  Json points = Json::array();
  for (const study::BranchPoint& point : branch.points)
    points.push_back({{"kind", point.kind},
                      {"words", kind_words(point.kind)},
                      {"unstable", point.unstable},
                      {"eigenvalues", eigenvalues_json(point)}});
  document["branch"] = {{"along", along},
                        {"complete", branch.complete},
                        {"reason", branch.reason},
                        {"points", points}};
  data.document = safe_text(document);
  return data;
}

}  // namespace dalembert::report
