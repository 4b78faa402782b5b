# 47 of LLVM's sources; tools/tcfix/llvm_unused.cc defines what they refer to and tcfix never calls. For each
# target, LLVM's own build would first check 200 functions and headers, and then compile 470 sources.

set(object COFFObjectFile Error MachOObjectFile MachOUniversal ObjectFile)
set(binary_format Magic)
set(demangle DLangDemangle Demangle ItaniumDemangle MicrosoftDemangle MicrosoftDemangleNodes RustDemangle)
set(target_parser ARMTargetParser ARMTargetParserCommon SubtargetFeature Triple)
set(support ABIBreak APFloat APInt BinaryStreamError BinaryStreamReader BinaryStreamRef ConvertUTF
    ConvertUTFWrapper DataExtractor Errno Error ErrorHandling FormatVariadic GlobPattern JSON MD5
    MemAlloc MemoryBuffer NativeFormatting Path Process Program SmallVector StringExtras StringMap
    StringRef StringSaver Twine VersionTuple raw_ostream xxhash)
list(TRANSFORM object PREPEND Object/)
list(TRANSFORM binary_format PREPEND BinaryFormat/)
list(TRANSFORM demangle PREPEND Demangle/)
list(TRANSFORM target_parser PREPEND TargetParser/)
list(TRANSFORM support PREPEND Support/)
set(sources ${object} ${binary_format} ${demangle} ${target_parser} ${support})
list(TRANSFORM sources PREPEND ${LLVM_SOURCE}/llvm/lib/)
list(TRANSFORM sources APPEND .cpp)
add_library(llvm STATIC ${sources})
target_include_directories(llvm PRIVATE ${CMAKE_BINARY_DIR}/include ${LLVM_SOURCE}/llvm/include)
target_compile_definitions(llvm PRIVATE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
target_compile_options(llvm PRIVATE -fno-exceptions -fno-rtti -fvisibility=hidden
                       -fvisibility-inlines-hidden)

# The part of LLVM's configuration that these sources use. Compressors, backtraces and crash handlers are
# disabled.
string(REGEX MATCH "([0-9]+)\\.([0-9]+)\\.([0-9]+)" PACKAGE_VERSION ${LLVM_VERSION})
set(LLVM_VERSION_MAJOR ${CMAKE_MATCH_1})
set(LLVM_VERSION_MINOR ${CMAKE_MATCH_2})
set(LLVM_VERSION_PATCH ${CMAKE_MATCH_3})
set(PACKAGE_NAME LLVM)
set(LLVM_DEFAULT_TARGET_TRIPLE "")
set(LLVM_ENABLE_THREADS ON)
set(LLVM_HAS_ATOMICS ON)
set(BACKTRACE_HEADER execinfo.h)
foreach(fact HAVE_ERRNO_H HAVE_FCNTL_H HAVE_SIGNAL_H HAVE_SYS_STAT_H HAVE_SYS_TYPES_H)
  set(${fact} 1)
endforeach()
if(WIN32)
  set(HAVE_DECL_STRERROR_S ON)
  set(HAVE__CHSIZE_S 1)
  # mingw's headers include it, for programs that link its POSIX layer.
  set(HAVE_UNISTD_H 1)
else()
  foreach(fact LLVM_ON_UNIX HAVE_DLFCN_H HAVE_FUTIMENS HAVE_GETPAGESIZE HAVE_GETRLIMIT HAVE_GETRUSAGE
               HAVE_ISATTY HAVE_POSIX_SPAWN HAVE_PREAD HAVE_PTHREAD_H HAVE_SETRLIMIT HAVE_STRERROR_R
               HAVE_SYSCONF HAVE_SYS_IOCTL_H HAVE_SYS_MMAN_H HAVE_SYS_RESOURCE_H HAVE_SYS_TIME_H
               HAVE_TERMIOS_H HAVE_UNISTD_H)
    set(${fact} 1)
  endforeach()
  if(APPLE)
    set(HAVE_DECL_ARC4RANDOM ON)
    set(HAVE_STRUCT_STAT_ST_MTIMESPEC_TV_NSEC 1)
  else()
    set(HAVE_STRUCT_STAT_ST_MTIM_TV_NSEC 1)
  endif()
endif()
foreach(header abi-breaking config llvm-config)
  configure_file(${LLVM_SOURCE}/llvm/include/llvm/Config/${header}.h.cmake
                 ${CMAKE_BINARY_DIR}/include/llvm/Config/${header}.h)
endforeach()
