# GMP has no CMake package of its own: an imported target, GMP::gmpxx, from its header and its two libraries.
find_path(GMPXX_INCLUDE_DIR gmpxx.h)
find_library(GMP_LIBRARY gmp)
find_library(GMPXX_LIBRARY gmpxx)
mark_as_advanced(GMPXX_INCLUDE_DIR GMP_LIBRARY GMPXX_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GMPxx REQUIRED_VARS GMPXX_LIBRARY GMP_LIBRARY GMPXX_INCLUDE_DIR)
if(GMPxx_FOUND AND NOT TARGET GMP::gmpxx)
  add_library(GMP::gmpxx INTERFACE IMPORTED)
  set_target_properties(GMP::gmpxx PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${GMPXX_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GMPXX_LIBRARY};${GMP_LIBRARY}")
endif()
