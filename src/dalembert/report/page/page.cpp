#include "dalembert/report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dalembert/expr/print.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/text_index.hpp"
#include "dalembert/report/document/document_parts.hpp"
#include "dalembert/report/json_values.hpp"
#include "dalembert/report/page/base64.hpp"
#include "dalembert/report/page/page_equations.hpp"
#include "dalembert/report/page/page_recorder.hpp"
#include "dalembert/report/page/page_template.hpp"
#include "dalembert/report/terminal.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

/// Text that is not UTF-8 is mended; what is not finite is null; `<` cannot end an element.
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

Json simulation_json(const motion::Motion& motion, const motion::SimulationOptions& options) {
  return {{"duration", options.duration - options.from},
          {"samples",
           options.times.empty() ? options.samples : static_cast<long>(options.times.size())},
          {"method", motion::to_string(motion.method())},
          {"integrator", motion::to_string(options.integrator)},
          {"rtol", options.rtol},
          {"atol", options.atol},
          {"max_step", std::isfinite(options.max_step) ? Json(options.max_step) : Json()}};
}

/// The table, with its numbers appended to `values`.
Json table_json(const PageRecorder::Implementation& recorded, double energy_scale,
                std::vector<double>& values) {
  Json table;
  table["columns"] = Json::array();
  for (const Column& column : recorded.columns)
    table["columns"].push_back({{"name", column.name}, {"group", to_string(column.group)}});
  table["index"] = values.size();
  table["rows"] = recorded.table.rows();
  table["total"] = recorded.table.total();
  table["thinned"] = recorded.table.thinned();
  recorded.table.append_columns(values);
  energy_scale = std::max(energy_scale, recorded.energy_scale);
  if (energy_scale > 0) {
    for (std::size_t i = values.size() - recorded.table.rows(); i < values.size(); ++i)
      values[i] /= energy_scale;
  }
  return table;
}

/// What happened at instants, as marks of the page: of those of one name and kind that follow each
/// other within a thousandth of the motion the first.
Json instants_json(const motion::SimulationOptions& options, const motion::Summary& summary) {
  const double apart = (options.duration - options.from) / 1000;
  std::map<std::pair<std::string_view, std::string_view>, double> last;
  Json marks = Json::array();
  for (const motion::EventRow& row : summary.events) {
    const auto [place, is_new] = last.try_emplace({row.name, row.kind}, row.t);
    if (!is_new && row.t - place->second < apart) continue;
    place->second = row.t;
    marks.push_back({{"t", row.t}, {"name", row.name}, {"kind", row.kind}});
  }
  return marks;
}

/// How to add a drawing, with an example that the model can take: its first coordinates as a place.
std::string drawing_hint(const model::Model& model) {
  std::string place;
  for (std::size_t i = 0; i < 3; ++i) {
    place += i == 0 ? "" : ", ";
    place += i < model.coordinates.size() ? '"' + model.coordinates[i] + '"' : "0";
  }
  return fmt::format(
      "This model says nothing about what to draw. Bodies and particles draw themselves; a model "
      "given by energies draws points and segments that its file names, for instance\n\n"
      "[[view.point]]\nname = \"end\"\nat = [{0}]\n\n"
      "[[view.segment]]\nname = \"line\"\nfrom = [0, 0, 0]\nto = [{0}]\n",
      place);
}

}  // namespace

PageData page_data(const motion::Motion& motion, const motion::SimulationOptions& options,
                   const motion::Summary& summary, const PageRecorder& recorder,
                   const PageOptions& page) {
  const PageRecorder::Implementation& recorded = recorder.implementation();
  const bool ended = summary.complete || !summary.reason.empty();
  const std::optional<motion::State> start = recorded.start();
  int rank = summary.rank;
  if (!ended && start) rank = motion.acceleration(start->t, start->q, start->v, start->mu).rank;

  PageData data;
  data.name = motion.model().name;
  Json document;
  document["format"] = format_version;
  document["program"] = "dalembert " DALEMBERT_VERSION;
  document["headline"] = headline(motion, rank);
  document["model"] = model_json(motion, start ? &*start : nullptr, page.parameters);
  document["simulation"] = simulation_json(motion, options);
  document["summary"] = ended ? summary_document(motion, options, summary) : Json();
  document["table"] = table_json(recorded, summary.energy_scale, data.values);
  document["instants"] = instants_json(options, summary);
  const bool drawn = !recorded.scene.empty();
  document["scene"] = drawn ? recorded.scene_value(data.values) : Json();
  document["drawing_hint"] = drawn ? "" : drawing_hint(motion.model());
  PageEquations equations;
  if (page.equations && start) equations = page_equations(motion, *start, options.stop);
  document["equations"] = {{"method", motion::to_string(motion.method())},
                           {"html", equations.html},
                           {"note", equations.note}};
  data.document = safe_text(document);
  return data;
}

namespace {

std::string_view bytes_of(const std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

/// The template with title and data in place of its marks; `data` appends what is to stand there.
template <class Data>
std::string filled(std::string_view title, std::size_t size, Data data) {
  static constexpr std::string_view title_mark = "<!--dalembert:title-->";
  static constexpr std::string_view data_mark = "<!--dalembert:data-->";
  const std::string_view page = page_template();
  const std::size_t title_at = page.find(title_mark);
  const std::size_t data_at = page.find(data_mark, title_at);
  if (data_at == std::string_view::npos) throw std::logic_error("the page has lost its marks");
  std::string html;
  html.reserve(page.size() + title.size() + size + 1024);
  html += page.substr(0, title_at);
  html += html_text(one_line(title));
  const std::size_t behind_title = title_at + title_mark.size();
  html += page.substr(behind_title, data_at - behind_title);
  data(html);
  html += page.substr(data_at + data_mark.size());
  return html;
}

}  // namespace

std::string base64(const std::vector<double>& values) {
  std::string text;
  append_base64(text, bytes_of(values));
  return text;
}

std::string page_html(const PageData& data) {
  const std::size_t size = data.document.size() + data.values.size() * 11;
  return filled(data.name + " · dalembert", size, [&](std::string& html) {
    html += "<script type=\"application/json\" id=\"dalembert-document\">";
    html += data.document;
    html += "</script>\n<script type=\"application/octet-stream\" id=\"dalembert-values\">";
    append_base64(html, bytes_of(data.values));
    html += "</script>";
  });
}

std::string live_page_html(const Live& live) {
  const std::string document =
      safe_text({{"file", live.file}, {"text", live.text}, {"can_save", live.can_save}});
  return filled(live.file + " · dalembert", document.size(), [&](std::string& html) {
    html += "<script type=\"application/json\" id=\"dalembert-live\">" + document + "</script>";
  });
}

}  // namespace dalembert::report
