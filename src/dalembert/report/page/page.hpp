#pragma once
/// The page on which people look at a motion: one HTML file that holds everything, the program of
/// the page (web/) and its data. The same data go to a page that is open in a browser while the
/// model is worked on (`dalembert view`). docs/page.md has the format of the data.
///
/// Memory and file do not grow with the length of a motion: of more rows than `most_rows` the table
/// keeps the smallest and the largest value of each column in each of most_rows / 2 stretches of
/// equally many rows, and the animation every so many-th row.

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

struct PageLimits {
  std::size_t values = 4'000'000;  ///< numbers in the table, 8 bytes each
  std::size_t rows = 20'000;
  std::size_t scene_values = 2'000'000;  ///< numbers of the animation
  std::size_t frames = 3'000;
};

/// Collects what the page shows while the motion goes.
class PageRecorder {
 public:
  /// `samples`: how many rows there will be.
  PageRecorder(const motion::Motion& motion, long samples, const PageLimits& limits = {});
  ~PageRecorder();
  PageRecorder(PageRecorder&&) noexcept;
  PageRecorder& operator=(PageRecorder&&) noexcept;
  void add(const motion::Sample& sample);
  /// Where the motion started, if not where the model says; before any sample.
  void set_start(motion::State start);

  struct Implementation;
  const Implementation& implementation() const { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// What the page is told: a JSON document, and the numbers it points to by their index.
struct PageData {
  std::string document;
  std::vector<double> values;
  std::string name = {};  ///< of the model
};

struct PageOptions {
  bool equations = true;  ///< derive and show them; where they are too large the page says so
  /// Of the model's parameters the first so many; initial values that were made free stand behind.
  std::size_t parameters = std::numeric_limits<std::size_t>::max();
};

/// Of a motion that has ended, or of one on its way with the rows so far (`summary` as far as it is
/// known).
PageData page_data(const motion::Motion& motion, const motion::SimulationOptions& options,
                   const motion::Summary& summary, const PageRecorder& recorder,
                   const PageOptions& page = {});

/// Little-endian doubles in base64.
std::string base64(const std::vector<double>& values);

/// How an open page reaches the program behind it.
struct Live {
  std::string file;       ///< the model's name or path, for people
  std::string text;       ///< of the model
  bool can_save = false;  ///< whether `save` has a file to write to
};

/// The whole page with its data inside.
std::string page_html(const PageData& data);
/// The same without data, which it asks for under its own address.
std::string live_page_html(const Live& live);

}  // namespace dalembert::report
