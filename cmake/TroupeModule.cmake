# SPDX-License-Identifier: MIT

# troupe_module(<folder> SOURCES ... [PUBLIC_DEPS ...] [PRIVATE_DEPS ...])
# One static library `troupe_<folder>` (alias `troupe::<folder>`) a folder: the levels of
# docs/ARCHITECTURE.md become link facts. Dependencies are full target names.
function(troupe_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(troupe_${name} STATIC ${ARG_SOURCES})
  add_library(troupe::${name} ALIAS troupe_${name})
  set_target_properties(troupe_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(troupe_${name}
    PUBLIC troupe_options ${ARG_PUBLIC_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# troupe_test(<name> SOURCES ... [DEPS ...] [LABELS ...] [TIMEOUT seconds])
# One doctest binary `<name>_test`; every TEST_CASE becomes a CTest case of its own.
function(troupe_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE troupe_options troupe_test_main ${ARG_DEPS})
  target_compile_definitions(${name}_test PRIVATE
    TROUPE_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
    TROUPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    TROUPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # The test's own code: each file is built in a third less time than at full speed.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-Og>)
  doctest_discover_tests(${name}_test
    TEST_PREFIX "${name}: "
    PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  # doctest 2.4.9 hands a list of labels on as separate properties, so they are set afterwards.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(WRITE "${labels_file}"
    "if(${name}_test_TESTS)\n"
    "  set_tests_properties(\${${name}_test_TESTS} PROPERTIES LABELS \"${ARG_LABELS}\")\n"
    "endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
  if("tsan" IN_LIST ARG_LABELS)
    set_property(GLOBAL APPEND PROPERTY TROUPE_TSAN_TESTS ${name}_test)
  endif()
endfunction()
