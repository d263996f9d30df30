#include "dalembert/study/storage/hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dalembert/study/storage/fresh_file.hpp"

namespace dalembert::study {

Hdf5File::Hdf5File(std::filesystem::path path, std::filesystem::path partial)
    : path_(std::move(path)), partial_(std::move(partial)) {}

Hdf5File::~Hdf5File() {
  if (created_) ::unlink(partial_.c_str());
}

bool Hdf5File::create() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  no_times_ = H5Pcreate(H5P_DATASET_CREATE);
  text_type_ = H5Tcopy(H5T_C_S1);
  if (H5Pset_obj_track_times(creation, false) < 0 ||
      H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
      H5Pset_obj_track_times(no_times_, false) < 0 || H5Tset_size(text_type_, H5T_VARIABLE) < 0 ||
      H5Tset_cset(text_type_, H5T_CSET_UTF8) < 0) {
    return false;
  }
  created_ = true;
  make_way(partial_);
  errno = 0;
  file_ = H5Fcreate(partial_.c_str(), H5F_ACC_EXCL, creation, access);
  return file_ >= 0 && H5Pclose(creation) >= 0 && H5Pclose(access) >= 0;
}

bool Hdf5File::attribute(hid_t object, const char* name, const std::vector<std::string>& texts,
                         bool scalar) const {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t size = texts.size();
  const hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr);
  const hid_t attribute = H5Acreate2(object, name, text_type_, space, H5P_DEFAULT, H5P_DEFAULT);
  return attribute >= 0 &&
         H5Awrite(attribute, text_type_, static_cast<const void*>(pointers.data())) >= 0 &&
         H5Aclose(attribute) >= 0 && H5Sclose(space) >= 0;
}

hid_t Hdf5File::dataset(const std::string& name, const std::string& description, hid_t type,
                        const std::vector<hsize_t>& sizes, hid_t properties,
                        const std::vector<hsize_t>& most) const {
  const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(),
                                       most.empty() ? nullptr : most.data());
  const hid_t dataset =
      H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (dataset < 0 || H5Sclose(space) < 0) return -1;
  return attribute(dataset, "description", {description}, true) ? dataset : -1;
}

bool Hdf5File::write_rows(hid_t dataset, hid_t type, std::uint64_t first, std::uint64_t count,
                          std::size_t width, bool two_dimensions, const void* data) {
  const hsize_t start[2] = {first, 0};
  const hsize_t size[2] = {count, width};
  const int rank = two_dimensions ? 2 : 1;
  const hid_t there = H5Dget_space(dataset);
  const hid_t here = H5Screate_simple(rank, size, nullptr);
  return H5Sselect_hyperslab(there, H5S_SELECT_SET, start, nullptr, size, nullptr) >= 0 &&
         H5Dwrite(dataset, type, here, there, H5P_DEFAULT, data) >= 0 && H5Sclose(here) >= 0 &&
         H5Sclose(there) >= 0;
}

bool Hdf5File::commit() {
  errno = 0;
  if (H5Pclose(no_times_) < 0 || H5Tclose(text_type_) < 0 ||
      H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0 || H5Fclose(file_) < 0)
    return false;
  const int file = ::open(partial_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (!synced || ::rename(partial_.c_str(), path_.c_str()) != 0) return false;
  created_ = false;
  return true;
}

std::string Hdf5File::problem() const {
  return fmt::format("cannot write '{}': {}", path_.string(),
                     errno != 0 ? std::strerror(errno) : "the HDF5 library refuses");
}

}  // namespace dalembert::study
