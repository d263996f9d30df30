#include "dalembert/study/statistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/study/option_error.hpp"

namespace dalembert::study {

namespace {

struct Word {
  std::string_view name;
  Reduction reduction;
};

constexpr std::array<Word, 5> words = {{{"min", Reduction::min},
                                        {"max", Reduction::max},
                                        {"mean", Reduction::mean},
                                        {"rms", Reduction::rms},
                                        {"final", Reduction::final}}};

model::Result<Statistic, model::Diagnostic> read_statistic(const std::string& text,
                                                           const std::vector<std::string>& columns,
                                                           std::size_t own) {
  const auto fail = [&](std::size_t begin, std::size_t end, const std::string& message) {
    return model::Failure{option_error("--stat", text, begin, end, message)};
  };
  const auto skip_blanks = [&](std::size_t i) {
    return std::min(text.find_first_not_of(" \t", i), text.size());
  };
  const std::size_t begin = skip_blanks(0);
  const std::size_t open = text.find('(', begin);
  const std::size_t close = text.find_last_not_of(" \t");
  if (open == std::string::npos || text[close] != ')')
    return fail(begin, text.size(), "expected min, max, mean, rms or final of something: max(x)");
  const std::size_t word_end = text.find_last_not_of(" \t", open - (open > begin ? 1 : 0)) + 1;
  const std::string word = open > begin ? text.substr(begin, word_end - begin) : "";
  const auto known =
      std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.name == word; });
  if (known == words.end()) {
    std::vector<std::string> names;
    for (const Word& w : words) names.emplace_back(w.name);
    const std::string meant = expr::did_you_mean(word, names);
    return fail(begin, open,
                fmt::format("no statistic '{}'{}", word,
                            meant.empty() ? "; there are min, max, mean, rms and final" : meant));
  }
  const std::size_t name_begin = std::min(skip_blanks(open + 1), close);
  const std::size_t name_end = text.find_last_not_of(" \t", close - 1) + 1;
  const std::string name =
      expr::spelt_out(text.substr(name_begin, std::max(name_end, name_begin) - name_begin));
  const auto column = std::find(columns.begin(), columns.end(), name);
  if (column == columns.end()) {
    const std::string meant = expr::did_you_mean(name, columns);
    return fail(name_begin, std::max(name_end, name_begin + 1),
                fmt::format("unknown quantity '{}'{}", name,
                            meant.empty() ? "; there are coordinates x, x', x'', ideal.x, "
                                            "nonideal.x, energy.kinetic, energy.potential, the "
                                            "outputs of the model and the reactions of its joints"
                                          : meant));
  }
  const auto place = static_cast<std::size_t>(column - columns.begin());
  return Statistic{fmt::format("{}({})", word, name), known->reduction,
                   place < own ? place : place - own, place >= own};
}

}  // namespace

std::vector<std::string> sample_columns(const motion::Motion& motion) {
  const model::Model& model = motion.model();
  std::vector<std::string> columns{"t"};
  for (const char* primes : {"", "'", "''"}) {
    for (const auto& name : model.coordinates) columns.push_back(name + primes);
  }
  for (const char* prefix : {"ideal.", "nonideal."}) {
    for (const auto& name : model.coordinates) columns.push_back(prefix + name);
  }
  columns.emplace_back("energy.kinetic");
  columns.emplace_back("energy.potential");
  for (const auto& output : motion.outputs()) columns.push_back(output.name);
  return columns;
}

void write_row(const EnsembleSample& sample, std::span<double> row) {
  auto place = row.begin();
  *place++ = sample.t;
  for (const auto& part : {sample.q, sample.v, sample.qdd, sample.ideal, sample.nonideal})
    place = std::copy(part.begin(), part.end(), place);
  *place++ = sample.kinetic;
  *place++ = sample.potential;
  std::copy(sample.outputs.begin(), sample.outputs.end(), place);
}

model::Result<std::vector<Statistic>, model::ModelError> read_statistics(
    const motion::Motion& motion, std::span<const std::string> texts,
    std::span<const std::string> derivatives) {
  std::vector<std::string> columns = sample_columns(motion);
  const std::size_t own = columns.size();
  columns.insert(columns.end(), derivatives.begin(), derivatives.end());
  std::vector<Statistic> statistics;
  std::vector<model::Diagnostic> wrong;
  for (const std::string& text : texts) {
    auto statistic = read_statistic(text, columns, own);
    if (!statistic) {
      wrong.push_back(statistic.error());
      continue;
    }
    const bool twice =
        std::any_of(statistics.begin(), statistics.end(),
                    [&](const Statistic& other) { return other.name == statistic->name; });
    if (twice) {
      wrong.push_back(option_error("--stat", text, 0, text.size(), "asked for twice"));
    } else {
      statistics.push_back(*std::move(statistic));
    }
  }
  if (!wrong.empty()) return model::Failure{model::ModelError{nullptr, std::move(wrong)}};
  return statistics;
}

void Accumulator::add(Reduction reduction, double x) {
  const bool first = count++ == 0;
  switch (reduction) {
    case Reduction::min:
      if (first || x < value || std::isnan(x)) value = x;
      break;
    case Reduction::max:
      if (first || x > value || std::isnan(x)) value = x;
      break;
    case Reduction::mean:
      value += x;
      break;
    case Reduction::rms:
      value += x * x;
      break;
    case Reduction::final:
      value = x;
      break;
  }
}

double Accumulator::result(Reduction reduction) const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  switch (reduction) {
    case Reduction::mean:
      return value / static_cast<double>(count);
    case Reduction::rms:
      return std::sqrt(value / static_cast<double>(count));
    default:
      return value;
  }
}

}  // namespace dalembert::study
