# GMP has no CMake package of its own: an imported target from its header and its two libraries.
if(NOT TARGET GMP::gmpxx)
  find_path(GMPXX_INCLUDE_DIR gmpxx.h REQUIRED)
  find_library(GMP_LIBRARY gmp REQUIRED)
  find_library(GMPXX_LIBRARY gmpxx REQUIRED)
  add_library(GMP::gmpxx INTERFACE IMPORTED)
  set_target_properties(GMP::gmpxx PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${GMPXX_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GMPXX_LIBRARY};${GMP_LIBRARY}")
endif()
