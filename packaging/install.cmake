# SPDX-License-Identifier: MIT
# What belongs to an installation beside programs and libraries: manual pages, completions, the
# systemd user unit.
find_program(SCDOC scdoc)
if(SCDOC)
  set(pages)
  foreach(page IN ITEMS troupe.1 trouped.1)
    set(made "${PROJECT_BINARY_DIR}/man/${page}")
    add_custom_command(OUTPUT "${made}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/man"
      COMMAND sh -c "exec \"$1\" <\"$2\" >\"$3\"" sh "${SCDOC}" "${PROJECT_SOURCE_DIR}/man/${page}.scd" "${made}"
      DEPENDS "${PROJECT_SOURCE_DIR}/man/${page}.scd" VERBATIM)
    list(APPEND pages "${made}")
  endforeach()
  add_custom_target(man ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
endif()

install(FILES "${PROJECT_SOURCE_DIR}/completions/troupe.bash"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME troupe)
install(FILES "${PROJECT_SOURCE_DIR}/completions/_troupe"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${PROJECT_SOURCE_DIR}/completions/troupe.fish"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

configure_file("${PROJECT_SOURCE_DIR}/packaging/troupe.service.in"
  "${PROJECT_BINARY_DIR}/generated/troupe.service" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/troupe.service" DESTINATION lib/systemd/user)
