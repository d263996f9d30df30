# Installs the build in BUILD into a fresh prefix under WORK, then configures, builds and runs the project beside this
# file with nothing but that prefix: cmake -DBUILD=... -DWORK=... -DGENERATOR=... -P install_test.cmake
function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN ARGN " " command)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  message("$ ${command}\n${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
must_run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# What is an affair of the library alone must not be asked of its users.
file(GLOB_RECURSE public LIST_DIRECTORIES false ${prefix}/include/* ${prefix}/lib*/*.cmake)
foreach(path IN LISTS public)
  file(STRINGS ${path} leaks REGEX "toml\\+\\+|CLI/CLI\\.hpp|CLI11::|dalembert_build_flags|${BUILD}")
  if(leaks AND NOT path MATCHES "dalembertConfig.cmake$")
    message(FATAL_ERROR "${path} shows users what is none of their business:\n${leaks}")
  endif()
endforeach()

must_run(${prefix}/bin/dalembert models)
if(NOT output MATCHES "rolling_disk")
  message(FATAL_ERROR "the installed command does not know its own models")
endif()

# An empty entry would be the current directory.
file(GLOB machine ${prefix}/lib*/libdalembert_machine.so ${prefix}/lib*/*/libdalembert_machine.so)
foreach(library IN LISTS machine)
  must_run(readelf -d ${library})
  if(output MATCHES "R(UN)?PATH[^\n]*\\[(:|[^\n]*::|[^\n]*:\\])")
    message(FATAL_ERROR "${library} looks for libraries in the current directory:\n${output}")
  endif()
endforeach()

must_run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
must_run(${CMAKE_COMMAND} --build ${WORK}/build)
must_run(${WORK}/build/dumbbell)
must_run(${WORK}/build/former)
