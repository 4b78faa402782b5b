# The libraries that tcfix uses. All are linked statically.
find_package(Threads REQUIRED)
if(TCFIX_PARTS)
  include(Parts)
  return()
endif()

# LLVM: Object, BinaryFormat and Support, from the static component libraries. Linking
# libLLVM.so would add 20 ms to every start. LLVM 16 to 22 are supported. 19, which is
# tested most, is preferred unless LLVM_DIR is set.
if(NOT LLVM_DIR)
  foreach(version 19 22 21 20 18 17 16)
    if(EXISTS /usr/lib/llvm-${version}/lib/cmake/llvm)
      set(LLVM_DIR /usr/lib/llvm-${version}/lib/cmake/llvm CACHE PATH "LLVM's CMake package")
      break()
    endif()
  endforeach()
endif()
if(TCFIX_COMPILE_ONLY)
  # The headers are enough; the targets of LLVM's CMake package are for the wrong machine.
  get_filename_component(LLVM_INCLUDE_DIRS ${LLVM_DIR}/../../../include ABSOLUTE)
  set(LLVM_ENABLE_RTTI ON)
  set(TCFIX_LLVM_LIBRARIES)
  # llvm-config.h was configured for this machine, so it is replaced by a changed copy.
  if(WIN32)
    set(configured ${CMAKE_BINARY_DIR}/llvm-for-windows)
    file(READ ${LLVM_INCLUDE_DIRS}/llvm/Config/llvm-config.h text)
    string(REPLACE "#define LLVM_ON_UNIX 1" "" text "${text}")
    file(WRITE ${configured}/llvm/Config/llvm-config.h "${text}")
    list(PREPEND LLVM_INCLUDE_DIRS ${configured})
  endif()
else()
  find_package(LLVM REQUIRED CONFIG)
  if(LLVM_VERSION_MAJOR LESS 16)
    message(FATAL_ERROR "tcfix needs LLVM 16 or later; this is ${LLVM_VERSION}")
  endif()
  message(STATUS "LLVM ${LLVM_VERSION} in ${LLVM_DIR}")
  llvm_map_components_to_libnames(TCFIX_LLVM_LIBRARIES Object BinaryFormat Support Demangle)
  # LLVMSupport lists shared libraries (a solver, compressors) that tcfix never calls. Without them the
  # program is static, and they need not be installed.
  get_target_property(libraries LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "z3|ZLIB|zstd|LibEdit|xml2|CURL")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endif()
add_library(tcfix_llvm INTERFACE)
target_include_directories(tcfix_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(tcfix_llvm INTERFACE ${TCFIX_LLVM_LIBRARIES})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(tcfix_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

# Headers in the system's include directory. A cross-compiler must not search that directory, which also
# contains the host's C library, so it gets links to these headers only.
if(TCFIX_COMPILE_ONLY)
  set(TCFIX_HEADERS ${CMAKE_BINARY_DIR}/linked-headers)
  file(MAKE_DIRECTORY ${TCFIX_HEADERS})
  foreach(header cxxopts.hpp spdlog fmt libdeflate.h)
    file(CREATE_LINK /usr/include/${header} ${TCFIX_HEADERS}/${header} SYMBOLIC)
  endforeach()
  if(APPLE)
    include_directories(SYSTEM ${CMAKE_CURRENT_LIST_DIR}/macos-headers)
  endif()
  add_library(tcfix_headers INTERFACE)
  target_include_directories(tcfix_headers SYSTEM INTERFACE ${TCFIX_HEADERS})
else()
  find_package(cxxopts REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(fmt REQUIRED)
  add_library(tcfix_headers INTERFACE)
  target_link_libraries(tcfix_headers INTERFACE cxxopts::cxxopts)
  target_include_directories(tcfix_headers SYSTEM INTERFACE
    $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
endif()
# Debian has fmt and spdlog only as shared libraries, so they are used header-only.
target_compile_definitions(tcfix_headers INTERFACE FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL)

# SHA-1 and SHA-2 with the CPU's instructions. Linux: OpenSSL's low-level functions, which link 30 kB of
# libcrypto.a and run nothing at start-up. macOS and Windows have their own.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(OPENSSL_USE_STATIC_LIBS ON)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
endif()

# Deflate and CRC-32, for wheels: a small library, faster than zlib, for whole buffers.
add_library(tcfix_deflate INTERFACE)
if(TCFIX_COMPILE_ONLY)
  target_include_directories(tcfix_deflate SYSTEM INTERFACE ${TCFIX_HEADERS})
else()
  find_path(LIBDEFLATE_INCLUDE libdeflate.h REQUIRED)
  find_library(LIBDEFLATE_LIBRARY NAMES libdeflate.a deflatestatic libdeflatestatic deflate REQUIRED)
  target_include_directories(tcfix_deflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE})
  target_link_libraries(tcfix_deflate INTERFACE ${LIBDEFLATE_LIBRARY})
endif()
