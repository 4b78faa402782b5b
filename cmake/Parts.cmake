# The libraries of a release (scripts/release), which scripts/releasing/build.py compiled for the target. They
# replace the system's libraries, which Dependencies.cmake finds; the headers are from the same sources.
#   TCFIX_PARTS                  lib/libllvm.a, lib/libdeflate.a, on Linux lib/libcrypto.a; LLVM's configuration
#   TCFIX_LLVM_INCLUDE, TCFIX_LIBDEFLATE_INCLUDE, TCFIX_OPENSSL_INCLUDE, TCFIX_HEADER_DIRECTORIES
add_library(tcfix_llvm INTERFACE)
target_include_directories(tcfix_llvm SYSTEM INTERFACE ${TCFIX_PARTS}/include ${TCFIX_LLVM_INCLUDE})
target_link_libraries(tcfix_llvm INTERFACE ${TCFIX_PARTS}/lib/libllvm.a)
if(WIN32)
  target_link_libraries(tcfix_llvm INTERFACE advapi32 ntdll ole32 psapi shell32 uuid ws2_32)
endif()
target_compile_options(tcfix_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)

add_library(tcfix_headers INTERFACE)
target_include_directories(tcfix_headers SYSTEM INTERFACE ${TCFIX_HEADER_DIRECTORIES})
# spdlog 1.10 calls fstat64, which musl declares only with this macro.
target_compile_definitions(tcfix_headers INTERFACE FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL
                           $<$<PLATFORM_ID:Linux>:_LARGEFILE64_SOURCE>)

add_library(tcfix_deflate INTERFACE)
target_include_directories(tcfix_deflate SYSTEM INTERFACE ${TCFIX_LIBDEFLATE_INCLUDE})
target_link_libraries(tcfix_deflate INTERFACE ${TCFIX_PARTS}/lib/libdeflate.a)

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_library(OpenSSL::Crypto INTERFACE IMPORTED GLOBAL)
  target_include_directories(OpenSSL::Crypto INTERFACE ${TCFIX_OPENSSL_INCLUDE})
  target_link_libraries(OpenSSL::Crypto INTERFACE ${TCFIX_PARTS}/lib/libcrypto.a)
endif()

if(APPLE)
  include_directories(SYSTEM ${CMAKE_CURRENT_LIST_DIR}/macos-headers)
endif()

# The program uses only system libraries.
set(CMAKE_SKIP_RPATH ON)

# The program contains no paths of the build machine.
foreach(directory ${TCFIX_PARTS} ${TCFIX_LLVM_INCLUDE} ${TCFIX_HEADER_DIRECTORIES} ${TCFIX_LIBDEFLATE_INCLUDE}
                  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  add_compile_options(-ffile-prefix-map=${directory}=.)
endforeach()
add_compile_options(-g0)

# Nothing is exported. In a macOS program each visible symbol takes a hundred bytes.
add_compile_options(-fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)

# zig builds its runtimes with the link's -Os. Unused code and symbols are removed.
add_link_options(-Os -s)
if(NOT APPLE)
  add_link_options(-Wl,--gc-sections)
else()
  add_link_options(-Wl,-dead_strip)
endif()
