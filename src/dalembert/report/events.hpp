#pragma once
/// What happened at instants: events.csv, and the lines about it on a terminal.

#include <span>
#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

/// The columns of events.csv: t, name, kind, impulse, rate_before, rate_after, energy.
std::vector<std::string> event_columns();

/// Columns behind those of events.csv, and their numbers for each row.
struct FurtherColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

/// All rows with their header: numbers with all their digits, what does not apply is blank.
std::string events_csv(std::span<const motion::EventRow> rows, const FurtherColumns& further = {});

/// "  events        floor: 24 impacts, 1 closing; apex: 12 events\n" and so on; empty for a motion
/// without instants.
std::string events_text(const motion::Summary& summary);

}  // namespace dalembert::report
