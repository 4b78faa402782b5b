# OpenSSL's SHA-1 and SHA-2, with the detection of the CPU's instructions: the same functions that ordinary
# builds link from the static libcrypto. OPENSSL_SOURCE is the unpacked source. OPENSSL_HEADERS contains the
# headers that its Configure generates, the same for both architectures.
set(asm ${CMAKE_BINARY_DIR}/openssl)
file(MAKE_DIRECTORY ${asm})
set(sources sha/sha1dgst sha/sha256 sha/sha512)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64")
  set(flavour elf)
  set(scripts sha/asm/sha1-x86_64=sha1 sha/asm/sha512-x86_64=sha256-x86_64 sha/asm/sha512-x86_64=sha512-x86_64
      x86_64cpuid=cpuid)
  list(APPEND sources cpuid ctype)
else()
  set(flavour linux64)
  set(scripts sha/asm/sha1-armv8=sha1 sha/asm/sha512-armv8=sha256-armv8 sha/asm/sha512-armv8=sha512-armv8
      arm64cpuid=cpuid)
  list(APPEND sources armcap)
endif()
list(TRANSFORM sources PREPEND ${OPENSSL_SOURCE}/crypto/)
list(TRANSFORM sources APPEND .c)
# The script generates SHA-256 or SHA-512 according to the name of its output, and AVX according to the
# compiler's version.
foreach(pair ${scripts})
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 script)
  list(GET pair 1 output)
  add_custom_command(OUTPUT ${asm}/${output}.S WORKING_DIRECTORY ${asm} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} perl ${OPENSSL_SOURCE}/crypto/${script}.pl
            ${flavour} ${output}.S)
  list(APPEND sources ${asm}/${output}.S)
endforeach()
add_library(crypto STATIC ${sources})
target_include_directories(crypto PRIVATE ${OPENSSL_HEADERS} ${OPENSSL_SOURCE}/include ${OPENSSL_SOURCE}
                           ${OPENSSL_SOURCE}/crypto)
target_compile_definitions(crypto PRIVATE L_ENDIAN OPENSSL_BUILDING_OPENSSL OPENSSL_CPUID_OBJ OPENSSL_PIC
                           SHA1_ASM SHA256_ASM SHA512_ASM)
# Without this note, the linker makes the program's stack executable.
target_compile_options(crypto PRIVATE -O2 $<$<COMPILE_LANGUAGE:ASM>:-Wa,--noexecstack>)
