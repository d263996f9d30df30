// Rows that are kept, or thinned to the extremes of stretches.
#include "dalembert/report/page/page_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dalembert::report::page_table_test {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// t, numbers that repeat, numbers some of which are none, a constant, none.
Rows random_rows(std::size_t count) {
  std::mt19937 random(7);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({0.5 * static_cast<double>(i), static_cast<double>(random() % 50),
                    random() % 3 == 0 ? nan : static_cast<double>(random() % 1000), 4, nan});
  }
  return rows;
}

PageTable table_of(const Rows& rows, std::size_t expected, std::size_t most) {
  PageTable table(5, expected, most);
  for (const auto& row : rows) table.add(row);
  return table;
}

/// What a column of rows [first, end) becomes: its extremes in order of occurrence.
std::pair<double, double> extremes(const Rows& rows, std::size_t first, std::size_t end,
                                   std::size_t column) {
  std::vector<double> values;
  for (std::size_t i = first; i < end; ++i) {
    if (!std::isnan(rows[i][column])) values.push_back(rows[i][column]);
  }
  if (values.empty()) return {nan, nan};
  const auto low = std::min_element(values.begin(), values.end());
  const auto high = std::max_element(values.begin(), values.end());
  return low <= high ? std::pair(*low, *high) : std::pair(*high, *low);
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void expect_thinned(const PageTable& table, const Rows& rows) {
  const std::size_t k = table.thinned();
  ASSERT_GE(k, 3u);
  EXPECT_EQ(table.total(), rows.size());
  std::size_t at = 0;
  for (std::size_t first = 0; first < rows.size(); first += k) {
    const std::size_t end = std::min(first + k, rows.size());
    if (end - first == 1) {
      for (std::size_t c = 0; c < 5; ++c) EXPECT_TRUE(same(table.at(at, c), rows[first][c]));
      ++at;
      continue;
    }
    EXPECT_EQ(table.at(at, 0), rows[first][0]);
    EXPECT_EQ(table.at(at + 1, 0), rows[end - 1][0]);
    for (std::size_t c = 1; c < 5; ++c) {
      const auto [one, other] = extremes(rows, first, end, c);
      EXPECT_TRUE(same(table.at(at, c), one)) << "rows " << first << " on, column " << c;
      EXPECT_TRUE(same(table.at(at + 1, c), other)) << "rows " << first << " on, column " << c;
    }
    at += 2;
  }
  EXPECT_EQ(table.rows(), at);
}

TEST(PageTable, KeepsAllRowsUpToTheLimit) {
  const Rows rows = random_rows(100);
  const PageTable table = table_of(rows, 100, 100);
  EXPECT_EQ(table.thinned(), 0u);
  ASSERT_EQ(table.rows(), 100u);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t c = 0; c < 5; ++c) EXPECT_TRUE(same(table.at(i, c), rows[i][c]));
  }
}

TEST(PageTable, KeepsTheExtremesOfStretchesInOrderOfOccurrence) {
  for (const std::size_t count : {101u, 150u, 151u, 199u, 200u, 1000u, 9999u}) {
    const Rows rows = random_rows(count);
    const PageTable table = table_of(rows, count, 100);
    EXPECT_LE(table.rows(), 100u);
    EXPECT_GT(table.rows(), 50u);
    expect_thinned(table, rows);
  }
}

TEST(PageTable, StaysWithinTheLimitWhenMoreRowsComeThanExpected) {
  for (const std::size_t expected : {1u, 50u, 100u, 130u, 1000u}) {
    for (const std::size_t most : {4u, 5u, 6u, 7u, 97u, 98u, 99u, 100u}) {
      for (const std::size_t count : {1001u, 1002u, 1003u, 5000u}) {
        const Rows rows = random_rows(count);
        const PageTable table = table_of(rows, expected, most);
        EXPECT_LE(table.rows(), most);
        expect_thinned(table, rows);
      }
    }
  }
}

TEST(PageTable, IsThinnedAlsoWhenFewerRowsComeThanExpected) {
  const Rows rows = random_rows(40);
  const PageTable table = table_of(rows, 1000, 100);
  EXPECT_EQ(table.thinned(), 20u);
  EXPECT_EQ(table.rows(), 4u);
  expect_thinned(table, rows);
  EXPECT_EQ(table_of({}, 1000, 100).rows(), 0u);
}

TEST(PageTable, GivesItsColumnsOneAfterTheOther) {
  const PageTable table = table_of({{0, 1, 2, 3, 4}, {10, 11, 12, 13, 14}}, 2, 10);
  std::vector<double> values{-1};
  table.append_columns(values);
  EXPECT_EQ(values, (std::vector<double>{-1, 0, 10, 1, 11, 2, 12, 3, 13, 4, 14}));
}

}  // namespace
}  // namespace dalembert::report::page_table_test
