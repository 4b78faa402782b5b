# tcfix_embed(TARGET FILE SYMBOL): the text of FILE as `constexpr llvm::StringLiteral SYMBOL`, in a
# header of FILE's name and ".h" that TARGET may include. A file of its own can be edited, coloured
# and checked as what it is; the program still needs no file beside it.
function(tcfix_embed target file symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded)
  file(CONFIGURE OUTPUT ${folder}/${name}.h CONTENT [=[
#pragma once
#include <llvm/ADT/StringRef.h>
constexpr llvm::StringLiteral @symbol@ = R"embedded(@text@)embedded";
]=] @ONLY)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
