#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "dalembert/cli/commands.hpp"
#include "dalembert/model/bundled.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::cli {

int list_models(const CommonOptions& options) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text;
  for (const model::BundledModel& bundled : model::bundled_models()) {
    const auto model = model::read_model_text(std::string(bundled.text), std::string(bundled.name));
    if (!model) {
      complain(model.error());
      return bad_input;
    }
    list.push_back(
        {{"name", bundled.name}, {"title", model->name}, {"description", model->description}});
    text += fmt::format("{:<18}{}\n", bundled.name,
                        model->description.empty() ? model->name : model->description);
  }
  if (options.json) {
    std::fputs((list.dump(2) + "\n").c_str(), stdout);
  } else {
    print(text);
  }
  return done;
}

}  // namespace dalembert::cli
