// The data of the page, and the page around them.
#include "dalembert/report/page/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/bundled.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/page/page_template.hpp"
#include "dalembert/report/trajectory.hpp"

namespace dalembert::report::page_test {
namespace {

using nlohmann::json;

motion::Motion bundled(std::string_view name, const std::string& method = "m-inverse") {
  for (const model::BundledModel& m : model::bundled_models()) {
    if (m.name == name) {
      auto model = model::read_model_text(std::string(m.text), std::string(name)).value();
      return motion::compile(std::move(model), {{}, method}).value();
    }
  }
  throw std::invalid_argument("no such model");
}

struct Recorded {
  motion::Motion motion;
  motion::SimulationOptions options;
  motion::Summary summary;
  PageRecorder recorder;
  std::vector<std::vector<double>> rows;  ///< of the trajectory
};

Recorded run(motion::Motion motion, long samples, double duration, const PageLimits& limits = {},
             long expected = 0) {
  motion::SimulationOptions options = motion::simulation_options(motion);
  options.times.clear();
  options.samples = samples;
  options.duration = duration;
  PageRecorder recorder(motion, expected > 0 ? expected : samples, limits);
  const TrajectoryRow layout(motion);
  std::vector<std::vector<double>> rows;
  const motion::Summary summary =
      motion::simulate(motion, motion::initial_state(motion).value().state, options,
                       [&](const motion::Sample& sample) {
                         recorder.add(sample);
                         layout.fill(sample, rows.emplace_back(layout.size()));
                         return true;
                       });
  return {std::move(motion), options, summary, std::move(recorder), std::move(rows)};
}

json document_of(const Recorded& r, const PageData& data) {
  EXPECT_EQ(data.document.find('<'), std::string::npos);
  json document = json::parse(data.document);
  EXPECT_EQ(document["table"]["total"], r.rows.size());
  return document;
}

TEST(Page, ShowsAsManyParametersAsItIsTold) {
  const Recorded r = run(bundled("rolling_disk"), 3, 0.1);
  const auto names = [&](const PageOptions& options) {
    const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, options);
    std::vector<std::string> result;
    const json document = json::parse(data.document);
    for (const json& parameter : document["model"]["parameters"])
      result.push_back(parameter["name"]);
    return result;
  };
  std::vector<std::string> all;
  for (const model::Named& parameter : r.motion.model().parameters) all.push_back(parameter.name);
  ASSERT_GT(all.size(), 1u);
  EXPECT_EQ(names({.equations = false}), all);
  EXPECT_EQ(names({.equations = false, .parameters = 1}), std::vector{all.front()});
  EXPECT_EQ(names({.equations = false, .parameters = 0}), std::vector<std::string>{});
}

TEST(Page, ItsTitleIsTheNameOfTheModel) {
  const Recorded r = run(bundled("rolling_disk"), 3, 0.1);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, {.equations = false});
  EXPECT_EQ(data.name, r.motion.model().name);
  EXPECT_EQ(json::parse(data.document)["model"]["name"], data.name);
  EXPECT_NE(page_html(data).find("<title>" + data.name + " · dalembert</title>"),
            std::string::npos);
}

TEST(Summary, WhatIsWrittenIsReadBack) {
  const Recorded r = run(bundled("rolling_disk"), 5, 0.5);
  motion::Summary s = r.summary;
  const auto again = [&] {
    const std::string written = summary_json(r.motion, r.options, s);
    const auto read = read_summary(written);
    ASSERT_TRUE(read);
    EXPECT_EQ(summary_json(r.motion, r.options, *read), written);
  };
  again();
  // All that a summary can say.
  s.adjusted = true;
  s.changes = {{"x", 0.1, 1.0 / 3}};
  s.complete = false;
  s.reason = "it was enough";
  s.gimbal.emplace();
  s.gimbal->body = "disk";
  s.gimbal->t = 0.25;
  s.stiff = motion::Stiffness{0.125, 7};
  s.not_finite = {{"height", 0.5}};
  s.doubts = {"a doubt"};
  s.rank_changes = {{0.1, 2, 1}};
  s.rank_change_count = 3;
  s.passages = {{0.2, 2, 1}};
  s.passage_count = 4;
  s.switches = {{.t = 0.3, .from = {"x"}, .to = {"y"}, .quasi_velocities = true}};
  s.switch_count = 5;
  again();
  EXPECT_FALSE(read_summary("no document"));
  EXPECT_FALSE(read_summary("[1, 2]"));
}

TEST(Page, TableHasTheRowsOfTheTrajectoryAndTheBalance) {
  const Recorded r = run(bundled("rolling_disk"), 41, 2);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder);
  const json table = document_of(r, data)["table"];
  const auto columns = trajectory_columns(r.motion);
  ASSERT_EQ(table["columns"].size(), columns.size() + 1);
  EXPECT_EQ(table["rows"], 41);
  EXPECT_EQ(table["thinned"], 0);
  const std::size_t index = table["index"];
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(table["columns"][c]["name"], columns[c].name);
    EXPECT_EQ(table["columns"][c]["group"], to_string(columns[c].group));
    for (std::size_t i = 0; i < 41; ++i)
      EXPECT_EQ(data.values.at(index + 41 * c + i), r.rows[i][c]);
  }
  EXPECT_EQ(table["columns"].back(), (json{{"name", "energy.balance"}, {"group", "balance"}}));
}

/// The largest magnitude in the column `balance`.
double largest_balance(const PageData& data) {
  const json table = json::parse(data.document)["table"];
  const std::size_t rows = table["rows"];
  const std::size_t first =
      table["index"].get<std::size_t>() + (table["columns"].size() - 1) * rows;
  double largest = 0;
  for (std::size_t i = first; i < first + rows; ++i)
    largest = std::max(largest, std::abs(data.values.at(i)));
  return largest;
}

TEST(Page, BalanceIsThatOfTheSummaryForEveryModel) {
  for (const model::BundledModel& m : model::bundled_models()) {
    const Recorded r = run(bundled(m.name), 21, 0.5);
    const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, {false});
    // Rounding of h, of which the balance is a difference.
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon();
    EXPECT_NEAR(largest_balance(data), r.summary.relative_balance_error(), rounding) << m.name;
  }
}

TEST(Page, ThinsWhatIsAboveTheLimitAndKeepsTheExtremes) {
  PageLimits limits;
  limits.rows = 50;
  for (const long expected : {0L, 10L}) {
    const Recorded r = run(bundled("pendulum"), 1001, 2, limits, expected);
    const PageData data = page_data(r.motion, r.options, r.summary, r.recorder);
    const json table = document_of(r, data)["table"];
    const std::size_t rows = table["rows"];
    EXPECT_LE(rows, 50u);
    EXPECT_GT(table["thinned"], 2);
    for (std::size_t c = 1; c < trajectory_columns(r.motion).size(); ++c) {
      double low = r.rows[0][c], high = low;
      for (const auto& row : r.rows) {
        low = std::min(low, row[c]);
        high = std::max(high, row[c]);
      }
      const auto first = data.values.begin() + static_cast<long>(c * rows);
      const auto [kept_low, kept_high] =
          std::minmax_element(first, first + static_cast<long>(rows));
      EXPECT_EQ(*kept_low, low);
      EXPECT_EQ(*kept_high, high);
    }
  }
}

/// The times of the frames of a page.
std::vector<double> frame_times(const PageData& data) {
  const json scene = json::parse(data.document)["scene"];
  EXPECT_FALSE(scene.is_null());
  const auto first = data.values.begin() + scene["times"].get<long>();
  return {first, first + scene["frames"].get<long>()};
}

TEST(Page, FramesAreSpreadOverTheMotionWithinTheirLimit) {
  PageLimits limits;
  for (const std::size_t most : {7u, 50u, 300u, 301u, 1000u}) {
    limits.frames = most;
    const Recorded r = run(bundled("double_pendulum"), 301, 3, limits);
    const auto times = frame_times(page_data(r.motion, r.options, r.summary, r.recorder, {false}));
    EXPECT_LE(times.size(), most);
    EXPECT_GT(times.size(), std::min<std::size_t>(most, 301) / 2);
    EXPECT_EQ(times.front(), 0);
    EXPECT_EQ(times.back(), 3);
  }
  limits.frames = 50;
  const Recorded longer = run(bundled("double_pendulum"), 301, 3, limits, 10);
  const auto times = frame_times(
      page_data(longer.motion, longer.options, longer.summary, longer.recorder, {false}));
  EXPECT_LE(times.size(), 50u);
  EXPECT_GT(times.size(), 25u);
  EXPECT_GT(times.back(), 2.8);
}

/// However many rows were expected: what came is all there, and the animation goes to its end.
TEST(Page, AMotionThatEndsEarlyIsShownWhole) {
  const Recorded r = run(bundled("double_pendulum"), 701, 1, {}, 1'000'000);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, {false});
  const json table = document_of(r, data)["table"];
  EXPECT_EQ(table["rows"], 701);
  EXPECT_EQ(table["thinned"], 0);
  EXPECT_EQ(frame_times(data).size(), 701u);

  PageLimits few;
  few.frames = 16;
  const Recorded odd = run(bundled("double_pendulum"), 702, 1, few);
  const auto times =
      frame_times(page_data(odd.motion, odd.options, odd.summary, odd.recorder, {false}));
  EXPECT_LE(times.size(), 16u);
  EXPECT_EQ(times.back(), 1);
  // The last row is a frame for the page only: the recorder goes on as if it had not been.
  EXPECT_EQ(times,
            frame_times(page_data(odd.motion, odd.options, odd.summary, odd.recorder, {false})));
}

/// h(t) - h(0) - work counts from the start of the motion, not from its first row.
TEST(Page, BalanceCountsFromTheStartAlsoWhereRowsBeginLater) {
  auto model = model::read_model_text(R"(coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "2*x^2"
[forces]
x = "-x'/10"
[initial]
x = 1
[simulation]
times = [5, 6, 7]
rtol = 1e-3
)",
                                      "late")
                   .value();
  motion::Motion motion = motion::compile(std::move(model)).value();
  const motion::SimulationOptions options = motion::simulation_options(motion);
  PageRecorder recorder(motion, 3);
  std::vector<double> expected;
  const motion::Summary summary = motion::simulate(
      motion, motion::initial_state(motion).value().state, options, [&](const motion::Sample& s) {
        recorder.add(s);
        expected.push_back(s.kinetic + s.potential - 2 - s.work_applied);
        return true;
      });
  const PageData data = page_data(motion, options, summary, recorder, {false});
  const json table = json::parse(data.document)["table"];
  const std::size_t first = table["index"].get<std::size_t>() + 3 * (table["columns"].size() - 1);
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(data.values[first + i] * summary.energy_scale, expected[i], 1e-13);
    largest = std::max(largest, std::abs(expected[i]));
  }
  EXPECT_GT(std::abs(expected[0]), 1e-6);  // or the test could not tell
  EXPECT_NEAR(summary.balance_error, largest, 1e-13);
}

TEST(Page, NumbersOfTheSceneAreLimitedToo) {
  PageLimits limits;
  limits.scene_values = 2000;
  const Recorded r = run(bundled("double_pendulum"), 301, 3, limits);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, {false});
  const json table = json::parse(data.document)["table"];
  const std::size_t numbers = table["rows"].get<std::size_t>() * table["columns"].size();
  EXPECT_LE(data.values.size() - numbers, 2000u);
  EXPECT_GT(data.values.size() - numbers, 1000u);
}

TEST(Page, NumbersInTheTableAreLimitedToo) {
  PageLimits limits;
  limits.values = 900;
  const Recorded r = run(bundled("pendulum"), 301, 1, limits);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder, {false});
  const json table = document_of(r, data)["table"];
  EXPECT_LE(table["rows"].get<std::size_t>() * table["columns"].size(), 900u);
}

TEST(Page, TellsTheModelAndItsStart) {
  const Recorded r = run(bundled("rolling_disk"), 3, 0.1);
  const json document = document_of(r, page_data(r.motion, r.options, r.summary, r.recorder));
  EXPECT_EQ(document["format"], 1);
  EXPECT_EQ(document["model"]["name"], r.motion.model().name);
  EXPECT_EQ(document["model"]["file"], "rolling_disk");
  EXPECT_EQ(document["model"]["text"], r.motion.model().source->text);
  EXPECT_EQ(document["model"]["parameters"][0]["name"], r.motion.model().parameters[0].name);
  EXPECT_EQ(document["model"]["parameters"][0]["value"], r.motion.parameters()[0]);
  EXPECT_EQ(document["model"]["initial"].size(), 10u);
  EXPECT_EQ(document["model"]["initial"][1], (json{{"name", "theta"}, {"value", r.rows[0][2]}}));
  EXPECT_EQ(document["model"]["initial"][6]["name"], "theta'");
  EXPECT_EQ(document["model"]["constraints"][0]["level"], "velocity");
  EXPECT_EQ(document["simulation"]["samples"], 3);
  EXPECT_EQ(document["summary"]["complete"], true);
  EXPECT_NE(document["headline"].get<std::string>().find("rank 2"), std::string::npos);
}

TEST(Page, MarksInstantsButNotEachOfInfinitelyManyBounces) {
  const Recorded r = run(bundled("bouncing_ball"), 11, 4);
  const json marks =
      document_of(r, page_data(r.motion, r.options, r.summary, r.recorder, {false}))["instants"];
  ASSERT_GT(r.summary.events.size(), marks.size());
  EXPECT_EQ(marks[0], (json{{"t", r.summary.events[0].t}, {"name", "floor"}, {"kind", "impact"}}));
  double last = -1;
  std::size_t impacts = 0;
  for (const json& mark : marks) {
    if (mark["kind"] != "impact") continue;
    EXPECT_GE(mark["t"].get<double>() - last, 0.004);
    last = mark["t"];
    ++impacts;
  }
  EXPECT_GT(impacts, 10u);
  EXPECT_EQ(marks.back()["kind"], "close");
}

TEST(Page, OfAMotionOnItsWayHasNoSummaryAndTheRankOfItsStart) {
  const Recorded r = run(bundled("rolling_disk"), 3, 0.1);
  const json document = document_of(r, page_data(r.motion, r.options, {}, r.recorder));
  EXPECT_TRUE(document["summary"].is_null());
  EXPECT_NE(document["headline"].get<std::string>().find("rank 2"), std::string::npos);
}

TEST(Page, ShowsTheEquationsOfTheMethod) {
  for (const std::string method : {"m-inverse", "maggi"}) {
    const Recorded r = run(bundled("rolling_disk", method), 3, 0.1);
    const json e =
        document_of(r, page_data(r.motion, r.options, r.summary, r.recorder))["equations"];
    EXPECT_EQ(e["method"], method);
    EXPECT_EQ(e["note"], "");
    EXPECT_NE(e["html"].get<std::string>().find("class=\"math"), std::string::npos);
    EXPECT_EQ(e["html"].get<std::string>().find("id="), std::string::npos);
  }
}

TEST(Page, SaysWhyThereAreNoEquations) {
  const auto note = [](motion::Motion motion) {
    const Recorded r = run(std::move(motion), 3, 0.01);
    const json e =
        document_of(r, page_data(r.motion, r.options, r.summary, r.recorder))["equations"];
    EXPECT_EQ(e["html"], "");
    return e["note"].get<std::string>();
  };
  EXPECT_EQ(
      note(bundled("chain")),
      "The equations of motion are too large to print here: 1\u00a0056 operations. Where they "
      "are wanted: dalembert derive chain --method m-inverse");
  EXPECT_EQ(note(bundled("pendulum", "weighted")),
            "The method 'weighted' is a numerical one. The formulations are shown by: dalembert "
            "derive pendulum");
}

TEST(Page, ShowsModelAndConstraintsWhereMoreTakesLong) {
  const Recorded r = run(bundled("slider_crank"), 3, 0.01);
  const json e = document_of(r, page_data(r.motion, r.options, r.summary, r.recorder))["equations"];
  EXPECT_EQ(e["note"],
            "The equations of motion take long to derive. Where they are wanted: dalembert derive "
            "slider_crank --method m-inverse");
  const std::string html = e["html"];
  EXPECT_NE(html.find("<h3>The constraints</h3>"), std::string::npos);
  EXPECT_EQ(html.find("U05.9"), std::string::npos);
}

TEST(Page, SaysHowToAddADrawingWithAnExampleThatWorks) {
  const std::string text =
      "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[initial]\n\"x'\" = 1\n";
  const auto document = [](const std::string& model) {
    const Recorded r =
        run(motion::compile(model::read_model_text(model, "m.toml").value()).value(), 3, 1);
    return document_of(r, page_data(r.motion, r.options, r.summary, r.recorder));
  };
  const json plain = document(text);
  EXPECT_TRUE(plain["scene"].is_null());
  const std::string hint = plain["drawing_hint"];
  const json drawn = document(text + hint.substr(hint.find("\n\n[[")));
  EXPECT_EQ(drawn["drawing_hint"], "");
  EXPECT_EQ(drawn["scene"]["objects"].size(), 2u);
}

TEST(Page, TextCannotLeaveItsElement) {
  auto model = model::read_model_text(
                   "name = \"</script><b>&\\\"'<!--dalembert:data-->\"\ncoordinates = [\"x\"]\n"
                   "[energy]\nkinetic = \"x'^2/2\"\n[initial]\n\"x'\" = 1\n"
                   "[[constraint]]\nname = \"<img src=x onerror=alert(1)>\"\n"
                   "equation = \"x' = 1\"\n",
                   "</script>.toml")
                   .value();
  const Recorded r = run(motion::compile(std::move(model)).value(), 3, 1);
  const PageData data = page_data(r.motion, r.options, r.summary, r.recorder);
  EXPECT_EQ(document_of(r, data)["model"]["name"], r.motion.model().name);
  const std::string html = page_html(data);
  EXPECT_NE(html.find("<title>&lt;/script&gt;&lt;b&gt;&amp;&quot;&#39;&lt;!--"), std::string::npos);
  EXPECT_EQ(html.find("<b>&"), std::string::npos);
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  const std::string live = live_page_html({"</script>.toml", "x = \"</script>\"", true});
  EXPECT_EQ(live.find("</script>.toml"), std::string::npos);
  EXPECT_NE(live.find(R"({"file":"\u003c/script>.toml","text":"x = \"\u003c/script>\"",)"
                      R"("can_save":true})"),
            std::string::npos);
}

TEST(Page, HasItsDataWhereTheTemplateHasMarks) {
  const PageData data{R"({"model":{"name":"A"}})", {1, 2}, "A"};
  const std::string html = page_html(data);
  EXPECT_NE(html.find("<title>A · dalembert</title>"), std::string::npos);
  EXPECT_NE(html.find("<script type=\"application/json\" id=\"dalembert-document\">" +
                      data.document + "</script>"),
            std::string::npos);
  EXPECT_NE(html.find("id=\"dalembert-values\">AAAAAAAA8D8AAAAAAAAAQA==</script>"),
            std::string::npos);
  for (const char* mark : {"<!--dalembert:title-->", "<!--dalembert:data-->"}) {
    EXPECT_NE(page_template().find(mark), std::string_view::npos);
    EXPECT_EQ(html.find(mark), std::string::npos);
  }
}

TEST(Page, Base64HasTheBytesOfTheNumbers) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({1}), "AAAAAAAA8D8=");
  EXPECT_EQ(base64({1, 2}), "AAAAAAAA8D8AAAAAAAAAQA==");
  EXPECT_EQ(base64({1, 2, -1}), "AAAAAAAA8D8AAAAAAAAAQAAAAAAAAPC/");
}

}  // namespace
}  // namespace dalembert::report::page_test
