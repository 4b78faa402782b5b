# Language, warnings and build types, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Sanitize, Threads or Coverage" FORCE)
endif()

# -O2 is enough: tcfix spends its time on disk access and on hashing, which has its own instructions.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# tcfix_compile_quickly(TARGET...): modules that run for a few milliseconds only. -O2 takes a third longer to
# compile than -O1, which with sanitizers takes twice as long as -O0. Releases optimize them for size.
function(tcfix_compile_quickly)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${TCFIX_PARTS}>,-Os,-O1>>
                           $<$<CONFIG:Sanitize>:-O0>)
  endforeach()
endfunction()

# Each module is compiled as one source, because most of the time is spent on LLVM's headers. The presets
# `dev` and `sources` compile each file separately: for incremental builds, for tools that read the
# compile database, and to check that each source includes what it uses.
option(CMAKE_UNITY_BUILD "Compile each module as one source" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

# Checks that every source compiles for a target for which there are no LLVM libraries: no code is generated
# and nothing is linked. The empty objects are time stamps for Ninja.
option(TCFIX_COMPILE_ONLY "Only check that all sources compile" OFF)
if(TCFIX_COMPILE_ONLY)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILE_OBJECT
      "<CMAKE_${language}_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
      "${CMAKE_COMMAND} -E touch <OBJECT>")
  endforeach()
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT TCFIX_PARTS AND NOT TCFIX_COMPILE_ONLY) # ccache cannot detect changes of zig: a script runs it
  # Paths are hashed relative to the build directory, so that another checkout, or a wheel's build, finds the same
  # objects.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# tcfix_program(NAME SOURCE...): an executable, or only its objects if nothing is linked.
function(tcfix_program name)
  if(TCFIX_COMPILE_ONLY)
    add_library(${name} OBJECT ${ARGN})
  else()
    add_executable(${name} ${ARGN})
  endif()
endfunction()

option(TCFIX_WERROR "Treat warnings as errors" ON)
add_compile_options(-Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wnon-virtual-dtor -Wcast-qual -Wunused
                    # False positives of g++ 12: overlapping copies in plain string concatenation,
                    # and uninitialized values in LLVM's headers.
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                    # libstdc++ uses its own deprecated functions; only g++ does not warn about that.
                    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(TCFIX_WERROR)
  add_compile_options(-Werror)
endif()

# Address and undefined behaviour sanitizers. Every report is fatal.
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

# Source-based coverage (clang), which does not count the implicit branches of exceptions. Assertions are
# disabled, as in a release.
set(CMAKE_C_FLAGS_COVERAGE "-O1 -DNDEBUG -fprofile-instr-generate -fcoverage-mapping")
set(CMAKE_CXX_FLAGS_COVERAGE "${CMAKE_C_FLAGS_COVERAGE}")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "-fprofile-instr-generate")

# A released tcfix is one file without dependencies, which runs in any container.
option(TCFIX_STATIC "Link the C and C++ runtimes statically" ON)
# Unused functions are removed in every build, because some of LLVM's refer to compressors that are not linked.
add_compile_options(-ffunction-sections -fdata-sections)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,--gc-sections $<$<CONFIG:Release>:-Wl,-s>)
endif()
