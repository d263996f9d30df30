#pragma once
/// A table of doubles in an HDF5 file, streamed row by row: one dataset, rows x columns, with the
/// names of the columns as its attribute `columns`. The file appears whole or not at all.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dalembert::study {

struct Hdf5TableInfo {
  std::string name;         ///< of the dataset
  std::string description;  ///< its attribute
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< of the file, texts
};

class Hdf5Table {
 public:
  Hdf5Table(const std::filesystem::path& path, const Hdf5TableInfo& info);
  ~Hdf5Table();
  Hdf5Table(Hdf5Table&&) noexcept;
  Hdf5Table& operator=(Hdf5Table&&) noexcept;

  /// One number a column. False, and error() says why, once anything has failed; further rows do
  /// nothing. Memory: one chunk of 256 KiB, about.
  bool add(std::span<const double> row);
  /// Ends the table, with a whole number as an attribute of the file.
  bool commit(const std::string& attribute, std::uint8_t value);
  const std::optional<std::string>& error() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dalembert::study
