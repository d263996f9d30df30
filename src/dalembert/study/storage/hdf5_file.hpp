#pragma once
/// An HDF5 file that is being written under another name and gets its own when it is whole. Not for
/// the public: the only header that shows the HDF5 library.
///
/// The library does not survive a disk that fills up: closing a file whose last bytes cannot be
/// written may crash. So once a write has failed nothing is closed any more, at the end of the
/// program neither, and what was written is unlinked.

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dalembert::study {

class Hdf5File {
 public:
  /// `partial`: the name it has until then, in the same directory.
  Hdf5File(std::filesystem::path path, std::filesystem::path partial);
  /// Unlinks what has not been committed.
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  // All of these say by false, or -1, that something went wrong, with errno as the system left it.
  /// Begins the file: no time stamps in it, so that the same content is the same bytes.
  bool create();
  bool attribute(hid_t object, const char* name, const std::vector<std::string>& texts,
                 bool scalar) const;
  /// A dataset with an attribute `description`. `most`: how far each size may grow; empty: not at
  /// all.
  hid_t dataset(const std::string& name, const std::string& description, hid_t type,
                const std::vector<hsize_t>& sizes, hid_t properties,
                const std::vector<hsize_t>& most = {}) const;
  /// Writes rows [first, first + count) of a dataset of one or two dimensions.
  static bool write_rows(hid_t dataset, hid_t type, std::uint64_t first, std::uint64_t count,
                         std::size_t width, bool two_dimensions, const void* data);
  /// The file to the disk, and its name to the file. All datasets are closed.
  bool commit();

  hid_t id() const { return file_; }
  hid_t text_type() const { return text_type_; }  ///< UTF-8 of any length
  hid_t no_times() const { return no_times_; }    ///< properties of datasets without time stamps
  /// What errno says about the file, in a sentence.
  std::string problem() const;

 private:
  std::filesystem::path path_, partial_;
  hid_t file_ = -1, no_times_ = -1, text_type_ = -1;
  bool created_ = false;
};

}  // namespace dalembert::study
