# SPDX-License-Identifier: MIT

# troupe_fuzzer(<name> SOURCE <file> [DEPS ...] [TIMEOUT seconds])
# `<file>` defines LLVMFuzzerTestOneInput. `replay_<name>` runs it over every file of
# tests/fuzz/corpus/<name> and is an ordinary CTest case; with TROUPE_BUILD_FUZZERS (clang)
# `fuzz_<name>` is the libFuzzer binary.
function(troupe_fuzzer name)
  cmake_parse_arguments(ARG "" "SOURCE;TIMEOUT" "DEPS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  add_executable(replay_${name} ${ARG_SOURCE} "${PROJECT_SOURCE_DIR}/tests/fuzz/support/replay.cpp")
  target_link_libraries(replay_${name} PRIVATE troupe_options ${ARG_DEPS})
  add_test(NAME "fuzz corpus: ${name}" COMMAND replay_${name} "${corpus}")
  set_tests_properties("fuzz corpus: ${name}" PROPERTIES LABELS fuzz TIMEOUT ${ARG_TIMEOUT})
  if(TROUPE_BUILD_FUZZERS)
    add_executable(fuzz_${name} ${ARG_SOURCE})
    target_link_libraries(fuzz_${name} PRIVATE troupe_options ${ARG_DEPS})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
