# Language, warnings and build types, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Sanitize, Threads or Coverage" FORCE)
endif()

# -O2: the time goes into the disk and into hashing, which has its own instructions.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# tcfix_compile_quickly(TARGET...): modules that decide and print. They run for a few milliseconds, and
# -O2 takes a third longer to compile than -O1, which with sanitizers takes twice as long as -O0. A release
# makes them small.
function(tcfix_compile_quickly)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${TCFIX_PARTS}>,-Os,-O1>>
                           $<$<CONFIG:Sanitize>:-O0>)
  endforeach()
endfunction()

# Each module is compiled as one source: most of a compile is reading LLVM's headers. The presets
# `dev` and `sources` compile file by file: for incremental builds, for tools that read the compile
# database, and to prove that each source is complete.
option(CMAKE_UNITY_BUILD "Compile each module as one source" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

find_program(CCACHE ccache)
if(CCACHE AND NOT TCFIX_PARTS) # zig is driven by a script, which ccache cannot judge
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# A compiler without LLVM's libraries for its target can still prove that every source compiles: no
# code is generated and nothing is linked. The empty objects tell Ninja what is up to date.
option(TCFIX_COMPILE_ONLY "Check that all sources compile, produce no program" OFF)
if(TCFIX_COMPILE_ONLY)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILE_OBJECT
      "<CMAKE_${language}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
      "${CMAKE_COMMAND} -E touch <OBJECT>")
  endforeach()
endif()

# tcfix_program(NAME SOURCE...): an executable, or its objects where nothing is linked.
function(tcfix_program name)
  if(TCFIX_COMPILE_ONLY)
    add_library(${name} OBJECT ${ARGN})
  else()
    add_executable(${name} ${ARGN})
  endif()
endfunction()

option(TCFIX_WERROR "Treat warnings as errors" ON)
add_compile_options(-Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wnon-virtual-dtor -Wcast-qual -Wunused
                    # g++ 12 sees overlapping copies in plain string concatenation, and
                    # uninitialized values inside LLVM's own headers.
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                    # libstdc++ uses what it deprecates, and only its own compiler overlooks that.
                    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(TCFIX_WERROR)
  add_compile_options(-Werror)
endif()

# Address and undefined behaviour sanitizers; any report ends the program.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
set(CMAKE_CXX_FLAGS_SANITIZE "${CMAKE_C_FLAGS_SANITIZE} -D_GLIBCXX_ASSERTIONS")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined")

# Counters for clang's fuzzer, in all sources; tests/fuzz links the fuzzer itself.
option(TCFIX_FUZZ "Build the fuzzers of tests/fuzz; needs clang" OFF)
if(TCFIX_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# The thread sanitizer, which cannot be combined with the others.
set(CMAKE_C_FLAGS_THREADS "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread")
set(CMAKE_CXX_FLAGS_THREADS "${CMAKE_C_FLAGS_THREADS}")
set(CMAKE_EXE_LINKER_FLAGS_THREADS "-fsanitize=thread")

# Which lines and conditions run, as clang counts them in the source: exceptions make no branches
# there. Assertions are left out, as in a release.
set(CMAKE_C_FLAGS_COVERAGE "-O1 -DNDEBUG -fprofile-instr-generate -fcoverage-mapping")
set(CMAKE_CXX_FLAGS_COVERAGE "${CMAKE_C_FLAGS_COVERAGE}")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "-fprofile-instr-generate")

# A released tcfix depends on nothing: one file that runs in any container.
option(TCFIX_STATIC "Link the C and C++ runtimes statically" ON)
# Unused functions are left out in every build: LLVM's refer to compressors that we do not link.
add_compile_options(-ffunction-sections -fdata-sections)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,--gc-sections $<$<CONFIG:Release>:-Wl,-s>)
endif()
