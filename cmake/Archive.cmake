# The command as an archive that runs wherever it is unpacked, and as a package of Debian: scripts/archive has cpack make
# both. Both hold bin/dalembert and, in lib/dalembert, what makes machine code and the libraries that are not on every Linux.
set(private ${CMAKE_INSTALL_LIBDIR})

# RPATH, not RUNPATH: the libraries find each other by it, too.
set_target_properties(dalembert_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${private}")
target_link_options(dalembert_cli PRIVATE LINKER:--disable-new-dtags)
install(TARGETS dalembert_cli RUNTIME_DEPENDENCY_SET command_libraries RUNTIME DESTINATION bin COMPONENT command)
if(TARGET dalembert_machine)
  set_target_properties(dalembert_machine PROPERTIES INSTALL_RPATH "$ORIGIN")
  target_link_options(dalembert_machine PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS dalembert_machine RUNTIME_DEPENDENCY_SET command_libraries
    LIBRARY DESTINATION ${private} COMPONENT command)
endif()
install(RUNTIME_DEPENDENCY_SET command_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+|z)\\.so"
  POST_INCLUDE_REGEXES "^/(usr/)?lib/"
  LIBRARY DESTINATION ${private} COMPONENT command)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/dalembert COMPONENT command)
install(DIRECTORY ${CMAKE_BINARY_DIR}/licences DESTINATION share/doc/dalembert COMPONENT command)

set(CPACK_PACKAGE_NAME dalembert)
set(CPACK_PACKAGE_VENDOR dalembert)
set(CPACK_PACKAGE_CONTACT dalembert)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME dalembert-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Mechanics of constrained systems: equations of motion and motion")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL command)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Not asked of dpkg-shlibdeps: the libraries that travel along are not those of a package.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12), zlib1g (>= 1:1.2)")
include(CPack)
