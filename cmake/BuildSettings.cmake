# Language, warnings and build types, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Sanitize" FORCE)
endif()

# -O3 makes no measurable difference (scripts/bench) and takes longer to compile.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# Each module is compiled as one source: most of a compile is reading LLVM's headers. The presets
# `dev` and `check` compile file by file, for incremental builds and for tools that read the compile
# database.
option(CMAKE_UNITY_BUILD "Compile each module as one source" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# A cross-compiler without the target's LLVM libraries can still prove that every
# source compiles: everything but the final link.
option(TCFIX_COMPILE_ONLY "Compile all sources, link nothing" OFF)

option(TCFIX_WERROR "Treat warnings as errors" ON)
add_compile_options(-Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wnon-virtual-dtor -Wcast-qual -Wunused
                    # g++ 12 sees overlapping copies in plain string concatenation, and
                    # uninitialized values inside LLVM's own headers.
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(TCFIX_WERROR)
  add_compile_options(-Werror)
endif()

# Address and undefined behaviour sanitizers; any report ends the program.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
set(CMAKE_CXX_FLAGS_SANITIZE "${CMAKE_C_FLAGS_SANITIZE} -D_GLIBCXX_ASSERTIONS")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined")

# A released tcfix depends on nothing: one file that runs in any container.
option(TCFIX_STATIC "Link the C and C++ runtimes statically" ON)
# Unused functions are left out in every build: LLVM's refer to compressors that we do not link.
add_compile_options(-ffunction-sections -fdata-sections)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,--gc-sections $<$<CONFIG:Release>:-Wl,-s>)
endif()
