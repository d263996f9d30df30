#pragma once
/// The facts of a derivation, said: in English, with quantities in the notation of the books. What
/// a translator has to read stands in the files words_*.cpp beside this one and nowhere else.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/mechanics/formulations/formulation.hpp"
#include "dalembert/report/document/document.hpp"

namespace dalembert::report {

/// left = right on a line of its own. Without `right` the left side is the whole formula.
struct StepLine {
  Math left;
  std::optional<expr::Expr> right = {};
  std::string number = {};  ///< of the line's own formula; may be empty
};

struct StepText {
  std::string title;
  std::string number;    ///< of the formula the step applies ("G5.216"); may be empty
  std::string sentence;  ///< may be empty; «text|latex» stands for a formula
  std::vector<StepLine> lines;
};

/// "Suslov's principle".
std::string_view title_of(std::string_view method);
/// The title over its derivation, where another sentence says that it is not mechanics.
std::string_view heading_of(std::string_view method);

StepText step_text(const mechanics::Formulation& formulation, const mechanics::Step& step);
StepText step_text(const mechanics::Multipliers& multipliers);

/// A fact's left side: M_x,y.
Math notation(const mechanics::Fact& fact);
/// e in both scripts, as far as `longest` characters go.
Math math(const expr::Expr& e, std::size_t longest = 6000);

/// The choices that a derivation made, each a sentence without its full stop.
std::vector<std::string> choice_texts(const mechanics::Setting& setting,
                                      const mechanics::Formulation& formulation);
/// The same, after the warning that the formulation is not mechanics if it is not.
std::vector<std::string> formulation_remarks(const mechanics::Setting& setting,
                                             const mechanics::Formulation& formulation);

/// The modes of contacts and friction that sticks, each with the row that is held and the law of
/// its force, and the events. Empty where there are none.
std::vector<Block> instant_blocks(const model::Model& model);

/// The redundant constraints, each in quotes.
std::string redundant_names(const mechanics::Setting& setting);
/// "x, y and phi".
std::string name_list(const std::vector<std::string>& names);
/// A sentence in which «text|latex» stands for a formula.
Runs runs_of(std::string_view sentence);

}  // namespace dalembert::report
