# libtcfix.a and its CMake package, for programs that use include/tcfix: docs/library.md.
# The archive contains the modules' objects, so nothing is compiled twice.

# Adds `target` and everything that it links to `list`, once. Dependencies come after all that need
# them, as linkers require.
function(tcfix_collect_links target property list)
  set(reached ${${list}})
  if(target IN_LIST reached)
    return()
  endif()
  if(TARGET ${target} AND target MATCHES "^(tcfix_|LLVM)")
    get_target_property(libraries ${target} ${property})
    foreach(library IN LISTS libraries)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
      if(library)
        tcfix_collect_links(${library} INTERFACE_LINK_LIBRARIES reached)
      endif()
    endforeach()
  endif()
  set(${list} ${target} ${reached} PARENT_SCOPE)
endfunction()

set(links)
tcfix_collect_links(tcfix_api LINK_LIBRARIES links)
set(objects)
set(TCFIX_LINKS)
foreach(link IN LISTS links)
  if(NOT TARGET ${link} OR link MATCHES "::")
    list(APPEND TCFIX_LINKS ${link})
    continue()
  endif()
  get_target_property(type ${link} TYPE)
  get_target_property(is_imported ${link} IMPORTED)
  if(is_imported)
    # Only the file, wherever it is on the user's machine: LLVM's package also lists compressors that
    # tcfix never calls.
    list(APPEND TCFIX_LINKS "$<TARGET_FILE:${link}>")
  elseif(type STREQUAL "STATIC_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${link}>)
  endif()
endforeach()

add_library(tcfix_library STATIC ${objects})
set_target_properties(tcfix_library PROPERTIES OUTPUT_NAME tcfix LINKER_LANGUAGE CXX)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tcfix)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tcfixConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/tcfixConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tcfixConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tcfixConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tcfixConfigVersion.cmake
        DESTINATION ${package} COMPONENT library)
install(TARGETS tcfix_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tcfix DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT library)
