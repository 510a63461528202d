# SPDX-License-Identifier: MIT
# Warnings, hardening and sanitizers, gathered in one INTERFACE target that every module links.
option(TROUPE_WERROR "Treat warnings as errors" OFF)
set(TROUPE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
option(TROUPE_BUILD_TESTS "Build the tests" ON)
option(TROUPE_BUILD_BENCH "Build the benchmarks" OFF)
option(TROUPE_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)

add_library(troupe_options INTERFACE)
target_compile_features(troupe_options INTERFACE cxx_std_20)
target_include_directories(troupe_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(troupe_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wformat=2 -Wundef -Wvla
  -Wextra-semi -Wmissing-declarations
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(troupe_options INTERFACE
    -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wsuggest-override
    # g++ 12 reports `literal + std::string` at -O2 and above (its bug 105651); 13 does not.
    $<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>:-Wno-restrict>)
endif()
if(TROUPE_WERROR)
  target_compile_options(troupe_options INTERFACE -Werror)
endif()

# A module's library is no program's burden that takes nothing from it: loading libcrypto was most of
# the client's start.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(troupe_options INTERFACE LINKER:--as-needed)
endif()

if(TROUPE_SANITIZE)
  target_compile_options(troupe_options INTERFACE
    "-fsanitize=${TROUPE_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(troupe_options INTERFACE "-fsanitize=${TROUPE_SANITIZE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TROUPE_SANITIZE MATCHES "undefined")
    # These three double the time that g++ takes for a file, and CAF 0.17.6 binds a null reference
    # by itself. The address sanitizer sees what comes of a null pointer; the fuzzers, built with
    # clang, keep all checks.
    target_compile_options(troupe_options INTERFACE -fno-sanitize=null,vptr,alignment)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TROUPE_SANITIZE MATCHES "thread")
    # Asio's fences, which the thread sanitizer does not see; no test that it runs uses Asio. And an
    # empty optional, of which g++ 12 believes that it is read.
    target_compile_options(troupe_options INTERFACE -Wno-tsan -Wno-maybe-uninitialized)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  target_compile_options(troupe_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  target_link_options(troupe_options INTERFACE -Wl,-z,relro,-z,now)
endif()
if(TROUPE_BUILD_FUZZERS)
  target_compile_options(troupe_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_compile_definitions(troupe_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
