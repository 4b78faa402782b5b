# tcfix_module(NAME SOURCES... DEPENDS...): one directory below lib/, one static library.
# DEPENDS lists the modules whose headers it includes, all of them; tests/walls checks that.
function(tcfix_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;DEPENDS" ${ARGN})
  if(MODULE_SOURCES)
    add_library(tcfix_${name} STATIC ${MODULE_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(tcfix_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(tcfix_${name} ${scope} ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(tcfix_${name} ${scope} tcfix_llvm)
  list(TRANSFORM MODULE_DEPENDS PREPEND tcfix_)
  target_link_libraries(tcfix_${name} ${scope} ${MODULE_DEPENDS})
endfunction()

# tcfix_use_modules(TARGET MODULE...): the modules whose headers a program includes.
function(tcfix_use_modules target)
  list(TRANSFORM ARGN PREPEND tcfix_)
  target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
