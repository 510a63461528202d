# SPDX-License-Identifier: MIT
# libtroupe_client for other projects: one shared library, its headers, a CMake package and a
# pkg-config file.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

add_library(troupe_client_shared SHARED connection.cpp client.cpp daemon_start.cpp)
set_target_properties(troupe_client_shared PROPERTIES
  OUTPUT_NAME troupe_client EXPORT_NAME client
  VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_libraries(troupe_client_shared
  PRIVATE troupe_options troupe::base troupe::protocol troupe::registration)
# The inner modules are part of the library, not of its interface.
target_link_options(troupe_client_shared PRIVATE -Wl,--exclude-libs,ALL)
target_compile_features(troupe_client_shared INTERFACE cxx_std_20)
target_include_directories(troupe_client_shared INTERFACE
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/troupe>")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/troupe")
install(TARGETS troupe_client_shared EXPORT troupe-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT troupe-targets NAMESPACE troupe:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/packaging/troupe-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/troupe-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/troupe-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/generated/troupe-config.cmake"
  "${PROJECT_BINARY_DIR}/generated/troupe-config-version.cmake"
  DESTINATION "${package_dir}")

# The public headers, with the folders that their includes name.
set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}/troupe")
install(FILES client.hpp connection.hpp daemon_start.hpp export.hpp
  DESTINATION "${include_dir}/client")
install(FILES
  "${PROJECT_SOURCE_DIR}/base/command_record.hpp" "${PROJECT_SOURCE_DIR}/base/cursor.hpp"
  "${PROJECT_SOURCE_DIR}/base/ids.hpp" "${PROJECT_SOURCE_DIR}/base/result.hpp"
  "${PROJECT_SOURCE_DIR}/base/text_read.hpp"
  DESTINATION "${include_dir}/base")
install(FILES
  "${PROJECT_SOURCE_DIR}/protocol/features.hpp" "${PROJECT_SOURCE_DIR}/protocol/limits.hpp"
  "${PROJECT_SOURCE_DIR}/protocol/requests.hpp" "${PROJECT_SOURCE_DIR}/protocol/responses.hpp"
  "${PROJECT_SOURCE_DIR}/protocol/terminal_info.hpp" "${PROJECT_SOURCE_DIR}/protocol/words.hpp"
  "${PROJECT_BINARY_DIR}/generated/protocol/version.hpp"
  DESTINATION "${include_dir}/protocol")
install(FILES "${PROJECT_SOURCE_DIR}/registration/registration.hpp"
  DESTINATION "${include_dir}/registration")

# The prefix is told relative to the file, so that a staged or moved installation works.
file(RELATIVE_PATH TROUPE_PC_TO_PREFIX
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/packaging/troupe-client.pc.in"
  "${PROJECT_BINARY_DIR}/generated/troupe-client.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/troupe-client.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
