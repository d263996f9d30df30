# FLINT 2 and Arb have no CMake packages of their own: one imported target, FLINT::FLINT, for both.
find_path(FLINT_INCLUDE_DIR flint/fmpq_mpoly.h)
find_library(FLINT_LIBRARY flint)
find_path(ARB_INCLUDE_DIR arb.h)
find_library(ARB_LIBRARY NAMES flint-arb arb)
mark_as_advanced(FLINT_INCLUDE_DIR FLINT_LIBRARY ARB_INCLUDE_DIR ARB_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS FLINT_LIBRARY FLINT_INCLUDE_DIR ARB_LIBRARY ARB_INCLUDE_DIR)
if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  add_library(FLINT::FLINT INTERFACE IMPORTED)
  # The headers are C of another school: no warnings from them.
  set_target_properties(FLINT::FLINT PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${FLINT_INCLUDE_DIR};${ARB_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${ARB_LIBRARY};${FLINT_LIBRARY};mpfr;gmp")
endif()
