/// How each quantity of a derivation is written: #1, #2, #3 stand for its indices.

#include "dalembert/expr/print.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using mechanics::Quantity;

struct Pattern {
  std::string_view text, latex;
};

Pattern pattern_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::symbol:
    case Quantity::velocity_by_u:
      return {"#1", "#1"};
    case Quantity::zero_velocity:
      return {"0 = #1", "0 = #1"};
    case Quantity::variation:
      return {"δ#1", R"(\delta #1)"};
    case Quantity::mass:
      return {"M_#1,#2", "M_{#1 #2}"};
    case Quantity::force:
      return {"Q_#1", "Q_{#1}"};
    case Quantity::split_force:
      return {"Q0_#1", "Q^{0}_{#1}"};
    case Quantity::slope:
      return {"A_#1,#2", "A_{#1 #2}"};
    case Quantity::right_side:
      return {"b_#1", "b_{#1}"};
    case Quantity::compliance:
      return {"S_#1#2", "S_{#1#2}"};
    case Quantity::violation:
      return {"e_#1", "e_{#1}"};
    case Quantity::ideal_force:
      return {"Q_ideal_#1", R"(Q^{\mathrm{i}}_{#1})"};
    case Quantity::nonideal_force:
      return {"Q_nonideal_#1", R"(Q^{\mathrm{ni}}_{#1})"};
    case Quantity::kinetic_by_u:
      return {"T*", "T^{*}"};
    case Quantity::kinetic_split:
      return {"T0", "T^{0}"};
    case Quantity::momentum:
      return {"dT/d#1", R"(\frac{\partial T}{\partial #1})"};
    case Quantity::momentum_by_u:
      return {"dT*/d#1", R"(\frac{\partial T^{*}}{\partial #1})"};
    case Quantity::hamel:
      return {"gamma^#1_#2#3", R"(\gamma^{#1}_{#2#3})"};
    case Quantity::hamel_of_time:
      return {"gamma^#1_#2", R"(\gamma^{#1}_{#2})"};
    case Quantity::voronets:
      return {"beta^#1_#2,#3", R"(\beta^{#1}_{#2,#3})"};
    case Quantity::voronets_of_time:
      return {"beta^#1_#2", R"(\beta^{#1}_{#2})"};
    case Quantity::transposition:
      return {"d(δ#1)/dt - δ(#2)", R"(\frac{d}{dt}\left(\delta #1\right) - \delta #2)"};
    case Quantity::gauss_function:
      return {"G", "G"};
    case Quantity::energy_of_acceleration:
      return {"S", R"(\mathcal{S})"};
    case Quantity::multiplier_sum:
      return {"sum_j mu_j f_j", R"(\sum_j \mu_j f_j)"};
  }
  return {};
}

std::string filled(std::string_view pattern, const std::vector<std::string>& indices) {
  std::string result;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '#') {
      result += pattern[at];
    } else {
      result += indices[static_cast<std::size_t>(pattern[++at] - '1')];
    }
  }
  return result;
}

}  // namespace

Math math(const expr::Expr& e, std::size_t longest) {
  return {expr::to_text(e, longest), expr::to_latex(e, longest)};
}

Math notation(const mechanics::Fact& fact) {
  std::vector<std::string> text, latex;
  for (const expr::Expr& index : fact.indices) {
    text.push_back(expr::to_text(index));
    latex.push_back(expr::to_latex(index));
  }
  const Pattern pattern = pattern_of(fact.quantity);
  return {filled(pattern.text, text), filled(pattern.latex, latex)};
}

Runs runs_of(std::string_view sentence) {
  constexpr std::string_view open = "«", close = "»";
  Runs runs;
  while (!sentence.empty()) {
    const std::size_t begin = sentence.find(open);
    const std::size_t bar = sentence.find('|', begin);
    const std::size_t end = sentence.find(close, bar);
    if (end == std::string_view::npos) break;
    if (begin > 0) runs.emplace_back(std::string(sentence.substr(0, begin)));
    const std::size_t text = begin + open.size();
    runs.emplace_back(Math{std::string(sentence.substr(text, bar - text)),
                           std::string(sentence.substr(bar + 1, end - bar - 1))});
    sentence.remove_prefix(end + close.size());
  }
  if (!sentence.empty()) runs.emplace_back(std::string(sentence));
  return runs;
}

}  // namespace dalembert::report
