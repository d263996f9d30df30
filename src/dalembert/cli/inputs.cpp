#include "dalembert/cli/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "dalembert/cli/commands.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/model/columns.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/table.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/trajectory.hpp"

namespace dalembert::cli {

std::optional<model::Model> with_input_file(const model::Model& model, const std::string& path,
                                            bool hold) {
  const auto columns = model::read_columns(path);
  if (!columns) {
    complain(columns.error());
    return std::nullopt;
  }
  const auto refuse = [&](std::string message) {
    complain(model::ModelError{columns->source, {{std::move(message), columns->header}}});
    return std::nullopt;
  };
  const auto time = columns->column("t");
  if (!time) {
    complain(time.error());
    return std::nullopt;
  }
  if (auto wrong = columns->not_increasing(*time); !wrong.empty()) {
    complain(model::ModelError{columns->source, std::move(wrong)});
    return std::nullopt;
  }
  if (columns->lines.size() < 2) return refuse("inputs need two rows or more");
  std::vector<std::string> known;
  for (const std::size_t i : model.inputs) {
    const std::string& name = model.parameters[i].name;
    const auto enforces = [&](const model::Constraint& constraint) {
      return std::ranges::find(constraint.by, name) != constraint.by.end();
    };
    const auto servo = std::ranges::find_if(model.constraints, enforces);
    if (servo == model.constraints.end()) {
      known.push_back(name);
    } else if (columns->column(name)) {
      return refuse(fmt::format("input '{}' follows from constraint '{}', which it enforces", name,
                                servo->name));
    }
  }
  if (known.empty()) return refuse(fmt::format("{} has no [inputs]", model.name));
  for (const std::string& name : columns->names) {
    if (name == "t" || std::ranges::find(known, name) != known.end()) continue;
    return refuse(
        fmt::format("unknown input {}{}", model::in_quotes(name), expr::did_you_mean(name, known)));
  }
  std::vector<std::shared_ptr<const expr::Table>> driven;
  for (const std::string& name : known) {
    const auto column = columns->column(name);
    if (!column) {
      complain(column.error());
      return std::nullopt;
    }
    driven.push_back(expr::Table::through(
        name, columns->values[*time], columns->values[*column],
        hold ? expr::Interpolation::hold : expr::Interpolation::linear, expr::Outside::hold));
  }
  if (model.draft == nullptr) return refuse("the model was not read from a file");
  const auto draft = model::with_inputs(*model.draft, driven);
  if (!draft) return refuse(draft.error());
  auto result = model::assemble(*draft);
  if (!result) {
    complain(result.error());
    return std::nullopt;
  }
  return *std::move(result);
}

namespace {

/// Discrete values and what is counted; why they are not to be had, if they are needed.
std::optional<std::string> take_summary(const std::filesystem::path& path,
                                        const motion::Motion& motion, StoredEnd& end) {
  const model::Model& model = motion.model();
  if (!model::has_instants(model)) return std::nullopt;
  std::ifstream file(path);
  const auto document = nlohmann::json::parse(file, nullptr, false);
  const auto discretes = document.is_object() ? document.find("discrete") : document.end();
  for (const std::size_t i : model.discretes) {
    const std::string& name = model.parameters[i].name;
    if (discretes == document.end() || !discretes->contains(name) ||
        !discretes->at(name).is_number())
      return fmt::format("{} does not have the value of {}, which events have set", path.string(),
                         model::in_quotes(name));
    end.discretes.emplace_back(i, discretes->at(name).get<double>());
  }
  if (const auto counted = report::read_summary(document.is_object() ? document.dump() : "")) {
    end.event_counts = counted->event_counts;
    end.energy_lost = counted->energy_lost;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StoredEnd> stored_end(const std::filesystem::path& directory,
                                    const motion::Motion& motion) {
  const std::filesystem::path path = directory / "trajectory.csv";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    complain(fmt::format("--resume: there is no {} to continue from", path.string()));
    return std::nullopt;
  }
  const auto columns = model::read_columns(path.string(), model::Blank::not_a_number);
  if (!columns) {
    complain(columns.error());
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const report::Column& column : report::trajectory_columns(motion))
    names.push_back(column.name);
  if (columns->names != names) {
    complain(fmt::format("--resume: {} has other columns than motions of this model now have",
                         path.string()));
    return std::nullopt;
  }
  StoredEnd end;
  if (std::ifstream events(directory / "events.csv"); events) {
    std::string head;
    std::getline(events, head);
    end.events.assign(std::istreambuf_iterator<char>(events), {});
  }
  const std::string& text = columns->source->text;
  end.rows = text.substr(text.find('\n') + 1);
  for (const std::string& coordinate : motion.model().coordinates) {
    for (const std::string& name : {coordinate, coordinate + "'"}) {
      const auto column = columns->column(name);
      if (!column) {
        complain(column.error());
        return std::nullopt;
      }
      end.state.emplace_back(name, columns->values[*column].back());
    }
  }
  const auto time = columns->column("t");
  if (!time) {
    complain(time.error());
    return std::nullopt;
  }
  end.t = columns->values[*time].back();
  if (const auto problem = take_summary(directory / "summary.json", motion, end)) {
    complain("--resume: " + *problem);
    return std::nullopt;
  }
  return end;
}

}  // namespace dalembert::cli
