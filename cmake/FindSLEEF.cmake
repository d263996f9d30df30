# SLEEF 3.5 has no CMake package of its own in Debian: one imported target, SLEEF::SLEEF.
find_path(SLEEF_INCLUDE_DIR sleef.h)
find_library(SLEEF_LIBRARY sleef)
mark_as_advanced(SLEEF_INCLUDE_DIR SLEEF_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SLEEF REQUIRED_VARS SLEEF_LIBRARY SLEEF_INCLUDE_DIR)
if(SLEEF_FOUND AND NOT TARGET SLEEF::SLEEF)
  add_library(SLEEF::SLEEF INTERFACE IMPORTED)
  set_target_properties(SLEEF::SLEEF PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${SLEEF_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SLEEF_LIBRARY}")
endif()
