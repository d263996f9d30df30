// events.csv, and what a terminal and summary.json say of events.
#include <dalembert/report/events.hpp>

#include <gtest/gtest.h>

#include <dalembert/model/system.hpp>
#include <dalembert/report/json.hpp>
#include <limits>

namespace dalembert::report::events_test {
namespace {

motion::Summary bounces() {
  motion::Summary summary;
  summary.has_instants = true;
  motion::EventRow impact;
  impact.t = 1.0 / 3;
  impact.name = "floor, left \"side\"";
  impact.kind = "impact";
  impact.impulse = 2;
  impact.rate_before = -1.5;
  impact.rate_after = 0.1;
  impact.energy = -1e-300;
  motion::EventRow apex;
  apex.t = 12;
  apex.name = "apex";
  apex.kind = "event";
  summary.events = {impact, apex};
  summary.event_counts = {{"apex", {{"event", 1}}},
                          {"floor", {{"close", 1}, {"impact", 24}, {"open", 2}}}};
  summary.energy_lost = 0.125;
  return summary;
}

TEST(Events, AreRowsWithAllDigitsAndBlanksForWhatDoesNotApply) {
  EXPECT_EQ(events_csv(bounces().events),
            "t,name,kind,impulse,rate_before,rate_after,energy\n"
            "0.3333333333333333,\"floor, left \"\"side\"\"\",impact,2,-1.5,0.1,-1e-300\n"
            "12,apex,event,,,,\n");
  EXPECT_EQ(events_csv({}), "t,name,kind,impulse,rate_before,rate_after,energy\n");
}

TEST(Events, AreCountedOnATerminal) {
  motion::Summary summary = bounces();
  EXPECT_EQ(events_text(summary),
            "  events        apex: 1 event; floor: 1 closing, 24 impacts, 2 openings\n"
            "  energy lost   0.125 in impacts and friction\n");
  for (const char* name : {"g", "h", "i"}) summary.event_counts[name] = {{"stick", 2}, {"slip", 1}};
  summary.energy_lost = 0;
  EXPECT_EQ(events_text(summary),
            "  events        apex: 1 event; floor: 1 closing, 24 impacts, 2 openings; g: 1 slip, 2 "
            "sticks; h: 1 slip, 2 sticks; 3 more, see events.csv\n");
  summary.event_counts.clear();
  EXPECT_EQ(events_text(summary), "  events        none\n");
  EXPECT_EQ(events_text(motion::Summary()), "");
}

TEST(Events, OfASummaryAreWrittenAndReadBack) {
  model::System s("free");
  const auto x = s.coordinate("x");
  s.kinetic(pow(dot(x), 2));
  const auto motion = motion::compile(s.model());
  ASSERT_TRUE(motion);
  const motion::Summary written = bounces();
  const std::string text = summary_json(*motion, motion::SimulationOptions(), written);
  EXPECT_NE(text.find("\"energy_lost\": 0.125"), std::string::npos) << text;
  const auto read = read_summary(text);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->has_instants);
  EXPECT_EQ(read->event_counts, written.event_counts);
  EXPECT_EQ(read->energy_lost, written.energy_lost);
  const std::string smooth = summary_json(*motion, motion::SimulationOptions(), motion::Summary());
  EXPECT_EQ(smooth.find("energy_lost"), std::string::npos);
  EXPECT_FALSE(read_summary(smooth)->has_instants);
}

}  // namespace
}  // namespace dalembert::report::events_test
