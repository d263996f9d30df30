#include "dalembert/report/page/page_table.hpp"

#include <algorithm>
#include <cmath>

namespace dalembert::report {

PageTable::PageTable(std::size_t columns, std::size_t expected, std::size_t most)
    : columns_(columns), most_(std::max<std::size_t>(most, 4)) {
  if (expected > most_) {
    const std::size_t stretches = most_ / 2;
    stretch_ = std::max<std::size_t>((expected + stretches - 1) / stretches, 3);
  }
  values_.reserve(std::min(expected, most_) * columns_);
}

namespace {

/// Two rows as a stretch of two: what is not a number gives way to what is.
void mend(std::span<double> first, std::span<double> last) {
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (std::isnan(first[c])) first[c] = last[c];
    if (std::isnan(last[c])) last[c] = first[c];
  }
}

}  // namespace

/// The two rows of a stretch stand in order of occurrence, so a value beyond them takes the second
/// place and leaves the first to the extreme that stays.
void PageTable::fold(std::span<const double> row, std::span<double> first,
                     std::span<double> last) const {
  last[0] = row[0];
  for (std::size_t c = 1; c < columns_; ++c) {
    const double x = row[c];
    const double low = std::min(first[c], last[c]);
    const double high = std::max(first[c], last[c]);
    if (std::isnan(low)) {
      first[c] = last[c] = x;
    } else if (x > high) {
      first[c] = low;
      last[c] = x;
    } else if (x < low) {
      first[c] = high;
      last[c] = x;
    }
  }
}

void PageTable::add(std::span<const double> given) {
  const bool begins = stretch_ == 1 || in_stretch_ == stretch_ || total_ == 0;
  if (begins && rows_ + (stretch_ == 1 ? 1 : 2) > most_) {
    coarsen();
    add(given);
    return;
  }
  ++total_;
  if (begins || in_stretch_ == 1) {  // a stretch of one row is kept as one
    values_.resize((rows_ + 1) * columns_);
    const double* source = begins ? given.data() : row(rows_ - 1).data();
    std::copy_n(source, columns_, row(rows_).data());
    ++rows_;
  }
  if (begins) {
    in_stretch_ = 1;
  } else {
    fold(given, row(rows_ - 2), row(rows_ - 1));
    ++in_stretch_;
  }
}

/// Two stretches, four rows, become one; so do four single rows, as to join two would win nothing.
/// All stretches are full.
void PageTable::coarsen() {
  constexpr std::size_t taken = 4;
  const std::size_t kept = rows_;
  rows_ = 0;
  for (std::size_t from = 0; from < kept; from += taken) {
    const std::size_t count = std::min(taken, kept - from);
    const std::size_t pair = std::min<std::size_t>(count, 2);
    for (std::size_t i = 0; i < pair; ++i)
      std::copy_n(row(from + i).begin(), columns_, row(rows_ + i).begin());
    if (pair == 2) mend(row(rows_), row(rows_ + 1));
    for (std::size_t i = pair; i < count; ++i) fold(row(from + i), row(rows_), row(rows_ + 1));
    rows_ += pair;
  }
  const std::size_t left_over = kept % taken;
  if (stretch_ == 1) {
    stretch_ = taken;
    in_stretch_ = left_over == 0 ? taken : left_over;
  } else {
    stretch_ *= 2;
    in_stretch_ = left_over == 0 ? stretch_ : stretch_ / 2;
  }
  values_.resize(rows_ * columns_);
}

void PageTable::append_columns(std::vector<double>& values) const {
  const std::size_t first = values.size();
  values.resize(first + rows_ * columns_);
  double* out = values.data() + first;
  for (std::size_t c = 0; c < columns_; ++c) {
    for (std::size_t i = 0; i < rows_; ++i) *out++ = values_[i * columns_ + c];
  }
}

}  // namespace dalembert::report
