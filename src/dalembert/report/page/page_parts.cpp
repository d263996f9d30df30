#include "dalembert/report/page/page_parts.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "dalembert/expr/print.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/text_index.hpp"
#include "dalembert/report/json_values.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view level_name(model::Level level) {
  switch (level) {
    case model::Level::position:
      return "position";
    case model::Level::velocity:
      return "velocity";
    case model::Level::acceleration:
      return "acceleration";
  }
  return {};
}

/// What the file says about the values of the parameters, or what a program gave.
Json written_values(const model::Model& model) {
  const model::TextIndex index(model.source ? std::string_view(model.source->text) : "");
  const auto at = [&index](int line, int column) {
    return index.offset(static_cast<std::size_t>(line), static_cast<std::size_t>(column));
  };
  Json texts = Json::array();
  const auto said_as = [&model](const std::string& name) -> const std::string* {
    if (!model.draft || !model.draft->is_of_program) return nullptr;
    for (const model::Definition& said : model.draft->parameters) {
      if (said.name == name && !said.value.text.empty()) return &said.value.text;
    }
    return nullptr;
  };
  for (const auto& [name, value, where] : model.parameters) {
    if (const std::string* text = said_as(name)) {
      texts.push_back(*text);
    } else if (model.source && where.line > 0 && where.program == nullptr) {
      const std::size_t begin = at(where.line, where.column);
      const std::size_t end = at(where.line, where.column + where.length);
      texts.push_back(index.text().substr(begin, end - begin));
    } else {
      texts.push_back(expr::to_text(value));
    }
  }
  return texts;
}

}  // namespace

Json page_head(const std::string& headline) {
  return {{"format", 1}, {"program", "dalembert " DALEMBERT_VERSION}, {"headline", headline}};
}

Json model_json(const motion::Motion& motion, const motion::State* start,
                std::size_t most_parameters) {
  const model::Model& model = motion.model();
  Json document;
  document["name"] = model.name;
  document["description"] = model.description;
  document["file"] = model.source ? model.source->path : "";
  document["text"] = model::text_of(model);
  document["coordinates"] = model.coordinates;
  document["parameters"] = Json::array();
  const Json written = written_values(model);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (model::is_internal(model.parameters[i])) continue;
    if (document["parameters"].size() == most_parameters) break;
    document["parameters"].push_back({{"name", model.parameters[i].name},
                                      {"value", motion.parameters()[i]},
                                      {"written", written[i]}});
  }
  document["initial"] = Json::array();
  if (start != nullptr) {
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
      document["initial"].push_back({{"name", model.coordinates[i]}, {"value", start->q[i]}});
    }
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
      document["initial"].push_back({{"name", model.coordinates[i] + "'"}, {"value", start->v[i]}});
    }
  }
  document["constraints"] = Json::array();
  for (const auto& row : motion.equations().constraints)
    document["constraints"].push_back({{"name", row.name}, {"level", level_name(row.level)}});
  return document;
}

std::string safe_text(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace dalembert::report
