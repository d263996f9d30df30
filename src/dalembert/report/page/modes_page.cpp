#include "dalembert/report/page/modes_page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "dalembert/report/json_values.hpp"
#include "dalembert/report/linearisation.hpp"
#include "dalembert/report/page/page_parts.hpp"
#include "dalembert/report/page/scene.hpp"
#include "dalembert/study/linear/mode_shapes.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t frames = 97;  ///< of a mode
/// How far things move, in half sizes of what is drawn; and without a drawing, the largest change
/// of a coordinate.
constexpr double reach = 0.3, plain_amplitude = 0.1;
constexpr double small = 1e-6;  ///< the amplitude at which the reach is measured

/// Draws modes one after the other.
class ModePages {
 public:
  ModePages(const motion::Motion& motion, const study::Linearisation& linear,
            std::vector<double>& values)
      : motion_(motion),
        linear_(linear),
        values_(values),
        shapes_(motion, linear),
        scene_(motion, false),
        zeros_(motion.coordinates(), 0.0),
        outputs_(motion.outputs().size(), 0.0) {}

  /// Numbers that a mode takes.
  std::size_t size() const { return frames * (scene_.frame_size() + 1 + motion_.coordinates()); }
  bool moves(Eigen::Index mode) const { return shapes_.moves(mode); }

  /// "duration", "table" and "scene".
  void draw(Eigen::Index mode, Json& entry) {
    const double duration = shapes_.duration(mode);
    const double amplitude = find_amplitude(mode);
    std::vector<double> table(frames * columns());
    scene_.clear();
    for (std::size_t f = 0; f < frames; ++f) {
      const double t = duration * static_cast<double>(f) / (frames - 1);
      const std::vector<double> q = shapes_.coordinates(mode, t, amplitude);
      table[f] = t;
      for (std::size_t i = 0; i < q.size(); ++i) table[(i + 1) * frames + f] = q[i];
      add_frame(t, q);
    }
    entry["duration"] = duration;
    entry["table"] = table_json();
    values_.insert(values_.end(), table.begin(), table.end());
    entry["scene"] = scene_.empty() ? Json() : scene_document(scene_, values_, nullptr);
  }

 private:
  std::size_t columns() const { return motion_.coordinates() + 1; }

  void add_frame(double t, const std::vector<double>& q) {
    motion::Sample sample{};
    sample.t = t;
    sample.q = q;
    sample.v = sample.qdd = sample.ideal = sample.nonideal = zeros_;
    sample.outputs = outputs_;
    scene_.add(sample);
  }

  /// With it the farthest movement is `reach`.
  double find_amplitude(Eigen::Index mode) {
    if (scene_.empty()) return plain_amplitude;
    scene_.clear();
    add_frame(0, linear_.point.q);
    const double duration = shapes_.duration(mode);
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
      add_frame(0, shapes_.coordinates(mode, part * duration, small));
    const SceneRecorder::Movement movement = scene_.calc_movement();
    const double rate = movement.distance / small;
    const bool seen = rate > 1e-6 * movement.size;
    return seen ? reach * movement.size / rate : plain_amplitude;
  }

  Json table_json() const {
    Json list = Json::array({{{"name", "t"}, {"group", "time"}}});
    for (const std::string& name : motion_.model().coordinates)
      list.push_back({{"name", name}, {"group", "position"}});
    return {{"columns", list},
            {"index", values_.size()},
            {"rows", frames},
            {"total", frames},
            {"thinned", 0}};
  }

  const motion::Motion& motion_;
  const study::Linearisation& linear_;
  std::vector<double>& values_;
  study::ModeShapes shapes_;
  SceneRecorder scene_;
  std::vector<double> zeros_, outputs_;
};

Json mode_json(const ModeLine& line) {
  const std::complex<double> z = line.eigenvalue;
  return {{"eigenvalue", {z.real(), z.imag()}},
          {"frequency", line.frequency ? Json(*line.frequency) : Json()},
          {"damping", line.damping ? Json(*line.damping) : Json()},
          {"condition", line.condition},
          {"about", line.about},
          {"scene", nullptr}};
}

}  // namespace

PageData modes_page(const motion::Motion& motion, const study::Linearisation& linear,
                    const PageLimits& limits) {
  PageData data;
  data.name = motion.model().name;
  Json document = page_head(linearisation_headline(motion, linear));
  document["model"] = model_json(motion, &linear.point, PageOptions{}.parameters);
  document["simulation"] = {
      {"duration", 1}, {"samples", frames}, {"method", motion::to_string(motion.method())}};
  document["summary"] = nullptr;
  document["instants"] = Json::array();
  document["drawing_hint"] = "";
  document["equations"] = {{"method", ""}, {"html", ""}, {"note", ""}};
  Json& modes = document["modes"] = Json::array();
  ModePages pages(motion, linear, data.values);
  for (const ModeLine& line : mode_lines(linear)) {
    Json entry = mode_json(line);
    const bool room = data.values.size() + pages.size() <= limits.scene_values;
    if (room && pages.moves(line.index)) pages.draw(line.index, entry);
    modes.push_back(std::move(entry));
  }
  std::vector<std::string> notes = linearisation_notes(linear);
  const std::string verdict = stability_verdict(linear);
  if (!verdict.empty()) notes.insert(notes.begin(), verdict);
  document["notes"] = notes;
  data.document = safe_text(document);
  return data;
}

}  // namespace dalembert::report
