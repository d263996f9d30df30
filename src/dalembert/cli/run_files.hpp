#pragma once
/// The files of a run: the trajectory in the formats asked for, the instants of a motion that has
/// some, the summary and the page. They are
/// written as the motion goes and appear together when it has ended.

#include <filesystem>
#include <optional>
#include <string>

#include "dalembert/report/output_file.hpp"
#include "dalembert/report/page/page.hpp"
#include "dalembert/report/trajectory.hpp"
#include "dalembert/report/trajectory_hdf5.hpp"

namespace dalembert::cli {

struct Formats {
  bool csv = false, hdf5 = false;
};
/// "csv", "hdf5", "both", or names with commas between them. Complains and returns nothing where
/// that is not what is given.
std::optional<Formats> formats_from(const std::string& text);

class RunFiles {
 public:
  /// `rows`: as many samples will come of the motion from `start`. `further`: columns of
  /// trajectory.csv behind those of the motion. `earlier`: rows of the trajectory as text, to which
  /// it adds its own, the first of which they end with.
  RunFiles(const std::filesystem::path& directory, const motion::Motion& motion,
           const motion::State& start, long rows, Formats formats, bool page,
           const std::vector<std::string>& further = {}, const std::string& earlier = {});

  /// False once writing has failed. `further`: numbers of the further columns of trajectory.csv.
  bool write(const motion::Sample& sample, std::span<const double> further = {});
  /// Why a file cannot be written, if one cannot.
  std::optional<std::string> error() const;
  /// Ends all files; `summary_text` is that of summary.json, `events_text` that of events.csv, if
  /// there is one. Says what went wrong, if something
  /// did: then none of them appears.
  std::optional<std::string> finish(const motion::Motion& motion,
                                    const motion::SimulationOptions& options,
                                    const motion::Summary& summary, const std::string& summary_text,
                                    const std::string& events_text);
  /// "trajectory.csv (501 rows), summary.json, report.html", and what of these is still there of an
  /// earlier run.
  std::string text(const motion::Summary& summary) const;

 private:
  std::filesystem::path directory_;
  bool is_told_ = false;        ///< the first sample, by the earlier rows
  std::size_t event_rows_ = 0;  ///< of events.csv, those of an earlier run included
  std::optional<report::OutputFile> csv_;
  std::optional<report::TrajectoryWriter> csv_writer_;
  std::optional<report::TrajectoryTable> table_;
  std::optional<report::OutputFile> events_;
  report::OutputFile summary_;
  std::optional<report::OutputFile> page_;
  std::optional<report::PageRecorder> recorder_;
};

}  // namespace dalembert::cli
