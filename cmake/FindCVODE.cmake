# CVODE of SUNDIALS with dense linear algebra: one imported target, CVODE::CVODE. (The package file SUNDIALS brings
# asks for languages and solvers that are not needed here.)
find_path(CVODE_INCLUDE_DIR cvode/cvode_proj.h)
find_library(CVODE_LIBRARY sundials_cvode)
find_library(CVODE_VECTOR_LIBRARY sundials_nvecserial)
mark_as_advanced(CVODE_INCLUDE_DIR CVODE_LIBRARY CVODE_VECTOR_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_LIBRARY CVODE_VECTOR_LIBRARY CVODE_INCLUDE_DIR)
if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
  add_library(CVODE::CVODE INTERFACE IMPORTED)
  set_target_properties(CVODE::CVODE PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CVODE_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CVODE_LIBRARY};${CVODE_VECTOR_LIBRARY}")
endif()
