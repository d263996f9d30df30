#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dalembert/codegen/source.hpp"

namespace dalembert::codegen {

namespace {

std::string listed(std::span<const double> values, Language language) {
  std::vector<std::string> texts;
  for (const double x : values) texts.push_back(source_number(x, language));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Of the pieces between nodes, one after the other.
std::vector<double> coefficients_of(const expr::Table& table) {
  std::vector<double> all;
  for (std::size_t piece = 1; piece < table.nodes().size(); ++piece)
    all.insert(all.end(), table.coefficients(piece).begin(), table.coefficients(piece).end());
  return all;
}

}  // namespace

std::vector<const expr::Table*> tables_of(std::span<const Tape* const> tapes) {
  std::vector<const expr::Table*> tables;
  for (const Tape* tape : tapes) {
    for (const Instruction& one : tape->code) {
      if (one.operation != Operation::table) continue;
      const expr::Table& table = table_of_handle(tape->constants[one.b]);
      if (std::ranges::none_of(tables, [&](const auto* other) { return *other == table; }))
        tables.push_back(&table);
    }
  }
  return tables;
}

std::string table_source(const expr::Table& table, std::size_t number, Language language,
                         const std::string& prefix) {
  const std::string nodes = listed(table.nodes(), language);
  const std::string pieces = listed(coefficients_of(table), language);
  const std::size_t count = table.nodes().size();
  // Beyond the nodes a table is the value of its end, a derivative 0, or neither has a value.
  const std::size_t last = count;  // the piece behind the last node
  const std::string before = source_number(table.coefficients(0)[0], language);
  const std::string behind = source_number(table.coefficients(last)[0], language);
  const std::string at_end = source_number(table.last(), language);
  switch (language) {
    case Language::c:
      return fmt::format(
          "static const double {0}_nodes_{1}[] = {{{2}}};\n"
          "static const double {0}_pieces_{1}[] = {{{3}}};\n"
          "/* {4} */\n"
          "static const {0}_table {0}_table_{1} = {{{5}, {6}, {7}, {0}_nodes_{1}, {0}_pieces_{1}, "
          "{8}, {9}, {10}}};\n",
          prefix, number, nodes, pieces,
          table.order() == 0 ? "a table of the model" : "the derivative of one", count,
          table.degree(), table.outside() == expr::Outside::hold ? 1 : 0,
          table.outside() == expr::Outside::hold ? before : "0.0",
          table.outside() == expr::Outside::hold ? behind : "0.0", at_end);
    case Language::python:
      return fmt::format(
          "_table_{} = (\n    np.array([{}]),\n    np.array([{}]).reshape(-1, {}),\n    {}, {}, "
          "{},\n)\n",
          number, nodes, pieces, table.degree() + 1, before, behind, at_end);
    case Language::javascript:
      break;
  }
  return fmt::format(
      "const table_{} = {{ nodes: [{}], pieces: [{}], degree: {}, before: {}, behind: {}, last: {} "
      "}};\n",
      number, nodes, pieces, table.degree(), before, behind, at_end);
}

}  // namespace dalembert::codegen
