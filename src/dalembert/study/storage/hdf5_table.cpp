#include "dalembert/study/storage/hdf5_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "dalembert/study/storage/hdf5_file.hpp"

namespace dalembert::study {

namespace {

constexpr std::size_t table_chunk_bytes = 256u << 10;

std::filesystem::path partial_name(const std::filesystem::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.partial", path.filename().string(), ::getpid());
}

}  // namespace

struct Hdf5Table::Implementation {
  Implementation(const std::filesystem::path& path, const Hdf5TableInfo& info)
      : width(info.columns.size()),
        chunk_rows(std::max<std::size_t>(table_chunk_bytes / (width * sizeof(double)), 1)),
        file(path, partial_name(path)) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      errno = EISDIR;
      fail();
      return;
    }
    block.reserve(chunk_rows * width);
    if (!begin(info)) fail();
  }

  bool begin(const Hdf5TableInfo& info) {
    if (!file.create()) return false;
    for (const auto& [name, text] : info.attributes) {
      if (!file.attribute(file.id(), name.c_str(), {text}, true)) return false;
    }
    const hsize_t chunk[2] = {chunk_rows, width};
    const hid_t properties = H5Pcopy(file.no_times());
    if (H5Pset_chunk(properties, 2, chunk) < 0) return false;
    dataset = file.dataset(info.name, info.description, H5T_IEEE_F64LE, {0, width}, properties,
                           {H5S_UNLIMITED, width});
    return dataset >= 0 && file.attribute(dataset, "columns", info.columns, false) &&
           H5Pclose(properties) >= 0;
  }

  bool fail() {
    if (!error) error = file.problem();
    return false;
  }

  bool flush() {
    if (block.empty()) return true;
    errno = 0;
    const std::uint64_t count = block.size() / width;
    const hsize_t size[2] = {rows + count, width};
    if (H5Dset_extent(dataset, size) < 0 ||
        !Hdf5File::write_rows(dataset, H5T_NATIVE_DOUBLE, rows, count, width, true, block.data()))
      return fail();
    rows += count;
    block.clear();
    return true;
  }

  bool write_number(const std::string& name, std::uint8_t value) const {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(file.id(), name.c_str(), H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT);
    return attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_UINT8, &value) >= 0 &&
           H5Aclose(attribute) >= 0 && H5Sclose(space) >= 0;
  }

  std::size_t width, chunk_rows;
  Hdf5File file;
  hid_t dataset = -1;
  std::uint64_t rows = 0;     ///< written
  std::vector<double> block;  ///< those that are not yet
  std::optional<std::string> error;
};

Hdf5Table::Hdf5Table(const std::filesystem::path& path, const Hdf5TableInfo& info)
    : implementation_(std::make_unique<Implementation>(path, info)) {}
Hdf5Table::~Hdf5Table() = default;
Hdf5Table::Hdf5Table(Hdf5Table&&) noexcept = default;
Hdf5Table& Hdf5Table::operator=(Hdf5Table&&) noexcept = default;

bool Hdf5Table::add(std::span<const double> row) {
  Implementation& table = *implementation_;
  if (table.error) return false;
  table.block.insert(table.block.end(), row.begin(), row.end());
  return table.block.size() < table.chunk_rows * table.width || table.flush();
}

bool Hdf5Table::commit(const std::string& attribute, std::uint8_t value) {
  Implementation& table = *implementation_;
  if (table.error || !table.flush()) return false;
  errno = 0;
  if (!table.write_number(attribute, value) || H5Dclose(table.dataset) < 0 || !table.file.commit())
    return table.fail();
  return true;
}

const std::optional<std::string>& Hdf5Table::error() const {
  return implementation_->error;
}

}  // namespace dalembert::study
