# tcfix_precompile(NAME HEADER...): clang parses these headers once for all sources of this directory and of those
# below it, nearly all of which include them. Only in builds that just check each source: a missing include of
# another header is still an error.
function(tcfix_precompile name)
  if(NOT TCFIX_COMPILE_ONLY OR CMAKE_UNITY_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  set(header ${CMAKE_BINARY_DIR}/${name}.h)
  get_property(is_done GLOBAL PROPERTY tcfix_precompiled_${name})
  if(NOT is_done)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    file(WRITE ${header} "${includes}")
    list(TRANSFORM LLVM_INCLUDE_DIRS PREPEND "-isystem" OUTPUT_VARIABLE directories)
    # The macro is in the options of GoogleTest's CMake package, and must agree.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++${CMAKE_CXX_STANDARD} -DGTEST_HAS_PTHREAD=1 ${directories}
                            -fpch-instantiate-templates -x c++-header ${header} -o ${header}.pch
                    COMMAND_ERROR_IS_FATAL ANY)
    set_property(GLOBAL PROPERTY tcfix_precompiled_${name} ON)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${header}.pch>")
endfunction()
