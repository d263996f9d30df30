#pragma once
/// From what a page asks for to a motion that is ready to go. A model text is read, derived and
/// compiled once; while only numbers change, nothing but the start is computed again.
///
/// Initial values that a page has moved are held where it has put them; where they break a
/// constraint the others are adjusted, as with adjust = "nearest" in the file.
///
/// A text can do no more than describe a system: the format has no way to name a file or a command.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/cli/view/request.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::cli {

/// The most samples of a motion that a page may ask for.
inline constexpr long most_page_samples = 200'000;

struct PreparedMotion {
  motion::Motion motion;
  std::size_t parameters = 0;  ///< of the model; behind them stand initial values made free
  motion::SimulationOptions options;
  motion::InitialState start;
};

/// Why there is none.
struct NotPrepared {
  model::ModelError error;
  std::vector<std::string> unknown = {};  ///< names of the request that the text does not have
};

/// Not for two threads at once.
class Workbench {
 public:
  /// `name` stands for the model in messages. `settings` and `method` are those of the command line
  /// and hold where a request says nothing else; a setting whose parameter the text does not have
  /// is passed over. `initial` are initial values of the command line, which hold likewise.
  Workbench(std::string name, std::map<std::string, std::string> settings,
            std::optional<std::string> method, std::map<std::string, double> initial = {});

  model::Result<PreparedMotion, NotPrepared> prepare(const SimulateRequest& request);

 private:
  /// A model as it was read, and the initial values that it gives as numbers.
  struct Read {
    model::Model model;
    std::vector<std::string> numbers;
  };
  /// A model with some initial values as parameters, so that they can be changed: those given as
  /// numbers, and those that have been moved.
  struct Bench {
    std::optional<std::string> method;
    std::vector<std::string> moved;
    std::map<std::string, std::string> free;  ///< initial values, and their parameters
    motion::Motion motion;
  };

  /// Initial values of the request, and those of the command line that neither it nor the text, as
  /// it has been edited, says otherwise.
  std::map<std::string, double> initial_for(const SimulateRequest& request) const;
  std::map<std::string, std::string> settings_for(
      const SimulateRequest& request, const std::map<std::string, std::string>& free) const;
  model::Result<Bench, model::ModelError> make_bench(const SimulateRequest& request,
                                                     std::vector<std::string> moved) const;

  std::string name_;
  std::map<std::string, std::string> settings_;
  std::map<std::string, double> initial_;
  /// Parameters and initial values of the first text.
  std::map<std::string, std::string> written_;
  std::optional<std::string> method_;
  std::optional<Read> read_;
  std::optional<Bench> bench_;
};

}  // namespace dalembert::cli
