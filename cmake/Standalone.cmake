# For packages that go to other machines (scripts/wheels, scripts/archive): LLVM and HDF5 as parts of what uses them. Their shared
# libraries would bring along far more than dalembert calls: LLVM's has code generators for twenty processors, HDF5's wants
# libcurl, and with it thirty libraries more. The other libraries are small, and travel beside the package as they are.

find_library(STANDALONE_ZLIB NAMES z REQUIRED)
mark_as_advanced(STANDALONE_ZLIB)

# LLVM: code for this machine and for graphics processors, and the linker of code in memory; what these do not reach is left out.
if(LLVM_FOUND)
  set(llvm_config ${LLVM_TOOLS_BINARY_DIR}/llvm-config)
  execute_process(COMMAND ${llvm_config} --link-static --libs orcjit nativecodegen nvptxcodegen
    OUTPUT_VARIABLE llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_libraries)
  find_library(STANDALONE_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
  mark_as_advanced(STANDALONE_ZSTD)
  add_library(dalembert_static_llvm INTERFACE)
  target_link_directories(dalembert_static_llvm INTERFACE ${LLVM_LIBRARY_DIRS})
  target_link_libraries(dalembert_static_llvm INTERFACE ${llvm_libraries} ${STANDALONE_ZLIB} ${STANDALONE_ZSTD})
  target_link_options(dalembert_static_llvm INTERFACE
    LINKER:--gc-sections LINKER:--exclude-libs,ALL LINKER:--as-needed LINKER:-z,defs)
endif()

# HDF5: Debian's archive is compiled for programs; in a shared library two names stand in its way, the streams of the C library,
# which it wants to find at a fixed distance. They get names of our own (standalone_streams.cpp). S3 and HDFS, which want
# libcurl and Java, nobody calls, so that they are left out.
find_library(HDF5C_ARCHIVE NAMES libhdf5_serial.a libhdf5.a REQUIRED)
find_library(SZIP_ARCHIVE NAMES libsz.a REQUIRED)
find_library(AEC_ARCHIVE NAMES libaec.a REQUIRED)
mark_as_advanced(HDF5C_ARCHIVE SZIP_ARCHIVE AEC_ARCHIVE)
set(hdf5_archive ${CMAKE_CURRENT_BINARY_DIR}/libhdf5_standalone.a)
if(NOT EXISTS ${hdf5_archive} OR ${HDF5C_ARCHIVE} IS_NEWER_THAN ${hdf5_archive})
  execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=dalembert_standard_error
    --redefine-sym stdout=dalembert_standard_output ${HDF5C_ARCHIVE} ${hdf5_archive} COMMAND_ERROR_IS_FATAL ANY)
endif()
add_library(dalembert_streams STATIC ${CMAKE_CURRENT_LIST_DIR}/standalone_streams.cpp)
set_target_properties(dalembert_streams PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(HDF5C::HDF5C PROPERTIES INTERFACE_LINK_LIBRARIES
  "${hdf5_archive};dalembert_streams;${SZIP_ARCHIVE};${AEC_ARCHIVE};${STANDALONE_ZLIB};${CMAKE_DL_LIBS}")
