# tcfix_module(NAME DEPENDS... [SOURCES...]): a static library of all sources in a directory below lib/.
# DEPENDS lists all modules whose headers it includes; tests/walls checks that.
function(tcfix_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT MODULE_SOURCES)
    file(GLOB MODULE_SOURCES CONFIGURE_DEPENDS ${name}/*.cc)
  endif()
  if(TCFIX_COMPILE_ONLY)
    add_library(tcfix_${name} OBJECT ${MODULE_SOURCES})
  else()
    add_library(tcfix_${name} STATIC ${MODULE_SOURCES})
  endif()
  target_include_directories(tcfix_${name} PUBLIC ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM MODULE_DEPENDS PREPEND tcfix_)
  target_link_libraries(tcfix_${name} PUBLIC tcfix_llvm ${MODULE_DEPENDS})
endfunction()

# tcfix_use_modules(TARGET MODULE...): links the modules whose headers a program includes.
function(tcfix_use_modules target)
  list(TRANSFORM ARGN PREPEND tcfix_)
  target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
