# Where the program and its texts go: a prefix, or the folders of a wheel, which pip maps to those of
# an environment.
include(GNUInstallDirs)
if(SKBUILD)
  set(programs ${SKBUILD_SCRIPTS_DIR})
  set(data ${SKBUILD_DATA_DIR}/share)
else()
  set(programs ${CMAKE_INSTALL_BINDIR})
  set(data ${CMAKE_INSTALL_DATAROOTDIR})
endif()
install(TARGETS tcfix RUNTIME DESTINATION ${programs} COMPONENT program)

# The program writes its own manual page and completions, so they come along where it can run.
if(NOT CMAKE_CROSSCOMPILING)
  set(texts ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${texts})
  add_custom_command(TARGET tcfix POST_BUILD VERBATIM WORKING_DIRECTORY ${texts}
    COMMAND tcfix man > tcfix.1
    COMMAND tcfix completions bash > tcfix
    COMMAND tcfix completions zsh > _tcfix
    COMMAND tcfix completions fish > tcfix.fish)
  install(FILES ${texts}/tcfix.1 DESTINATION ${data}/man/man1 COMPONENT program)
  install(FILES ${texts}/tcfix DESTINATION ${data}/bash-completion/completions COMPONENT program)
  install(FILES ${texts}/_tcfix DESTINATION ${data}/zsh/site-functions COMPONENT program)
  install(FILES ${texts}/tcfix.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT program)
endif()
