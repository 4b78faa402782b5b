# Where the program, its manual page and completions are installed: below a prefix, or in the directories of
# a wheel, which pip maps to those of an environment.
include(GNUInstallDirs)
if(SKBUILD)
  set(programs ${SKBUILD_SCRIPTS_DIR})
  set(data ${SKBUILD_DATA_DIR}/share)
else()
  set(programs ${CMAKE_INSTALL_BINDIR})
  set(data ${CMAKE_INSTALL_DATAROOTDIR})
endif()
install(TARGETS tcfix RUNTIME DESTINATION ${programs} COMPONENT program)

# The program generates its manual page and completions, so it must be able to run here.
if(NOT CMAKE_CROSSCOMPILING)
  set(generated ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(TARGET tcfix POST_BUILD VERBATIM WORKING_DIRECTORY ${generated}
    COMMAND tcfix man > tcfix.1
    COMMAND tcfix completions bash > tcfix
    COMMAND tcfix completions zsh > _tcfix
    COMMAND tcfix completions fish > tcfix.fish)
  install(FILES ${generated}/tcfix.1 DESTINATION ${data}/man/man1 COMPONENT program)
  install(FILES ${generated}/tcfix DESTINATION ${data}/bash-completion/completions COMPONENT program)
  install(FILES ${generated}/_tcfix DESTINATION ${data}/zsh/site-functions COMPONENT program)
  install(FILES ${generated}/tcfix.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT program)
endif()
