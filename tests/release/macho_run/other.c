// The rest of libSystem: errno, clocks, limits, locales, character classes, SHA, the program itself.
#define _GNU_SOURCE
#include "macho_run.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// Error numbers that differ, from <sys/errno.h>. The first 34 are equal, except EAGAIN and EDEADLK.
static const struct {
  int darwin, here;
} kErrors[] = {{11, EDEADLK},     {35, EAGAIN},  {45, EOPNOTSUPP},   {60, ETIMEDOUT}, {62, ELOOP},    {63, ENAMETOOLONG},
               {66, ENOTEMPTY},   {69, EDQUOT},  {70, ESTALE},       {77, ENOLCK},    {78, ENOSYS},   {84, EOVERFLOW},
               {89, ECANCELED},   {92, EILSEQ},  {93, ENODATA}};

static int errorToDarwin(int here) {
  for (size_t i = 0; i < sizeof kErrors / sizeof *kErrors; ++i)
    if (kErrors[i].here == here)
      return kErrors[i].darwin;
  return here;
}
static int errorFromDarwin(int darwin) {
  for (size_t i = 0; i < sizeof kErrors / sizeof *kErrors; ++i)
    if (kErrors[i].darwin == darwin)
      return kErrors[i].here;
  return darwin;
}

/// There are two errno variables: glibc's, and the one that the program reads and writes. The one that changed since
/// the last call is right; if both did, glibc's, because the program called a function after it had set errno.
static int* errorPlace(void) {
  static _Thread_local int darwin, lastDarwin, lastHere;
  if (errno == lastHere && darwin != lastDarwin)
    errno = errorFromDarwin(darwin);
  lastHere = errno;
  lastDarwin = darwin = errorToDarwin(errno);
  return &darwin;
}
static char* errorText(int darwin) { return strerror(errorFromDarwin(darwin)); }
static int errorTextInto(int darwin, char* buffer, size_t size) {
  snprintf(buffer, size, "%s", errorText(darwin));
  return 0;
}

static const char* programPath;
static int argumentCount;
static char** argumentValues;
extern char** environ;

void setProgram(const char* path, int count, char** arguments) {
  programPath = path;
  argumentCount = count;
  argumentValues = arguments;
}
static int executablePath(char* buffer, uint32_t* size) {
  uint32_t needed = (uint32_t)strlen(programPath) + 1;
  int fits = *size >= needed;
  *size = needed;
  if (fits)
    memcpy(buffer, programPath, needed);
  return fits ? 0 : -1;
}
static int* argumentCountPlace(void) { return &argumentCount; }
static char*** argumentsPlace(void) { return &argumentValues; }
static char*** environmentPlace(void) { return &environ; }

static int clockTime(int darwin, struct timespec* time) {
  enum { kRealtime = 0, kRaw = 4, kMonotonic = 6 };
  clockid_t here = darwin == kRealtime    ? CLOCK_REALTIME
                   : darwin == kMonotonic ? CLOCK_MONOTONIC
                   : darwin == kRaw       ? CLOCK_MONOTONIC_RAW
                                          : CLOCK_PROCESS_CPUTIME_ID;
  return clock_gettime(here, time);
}

static long systemFact(int darwin) {
  switch (darwin) { // <unistd.h>
  case 29:
    return sysconf(_SC_PAGESIZE);
  case 57:
  case 58:
    return sysconf(_SC_NPROCESSORS_ONLN);
  case 70:
  case 71:
    return -1; // no limit for the buffers of users and groups
  default:
    die("sysconf(%d)", darwin);
  }
}

static int limitHere(int darwin) {
  return darwin == 8 ? RLIMIT_NOFILE : darwin == 4 ? RLIMIT_CORE : darwin == 1 ? RLIMIT_FSIZE : -1;
}
static int readLimit(int darwin, struct rlimit* limit) { return getrlimit(limitHere(darwin), limit); }
static int writeLimit(int darwin, const struct rlimit* limit) { return setrlimit(limitHere(darwin), limit); }

/// No test sends a signal.
static int ignoreSignals(void) { return 0; }

/// "C" in every category: the masks differ.
static locale_t makeLocale(int mask, const char* name, locale_t base) {
  (void)mask, (void)base;
  return newlocale(LC_ALL_MASK, name && *name ? name : "C", NULL);
}

/// <runetype.h>: tables of character classes, which inline functions read.
struct Runes {
  char magic[8], encoding[32];
  void* functions[2];
  int invalid;
  uint32_t types[256];
  int lower[256], upper[256];
  uint8_t rest[72];
};
_Static_assert(offsetof(struct Runes, types) == 60, "as <runetype.h>");
static struct Runes runes;

__attribute__((constructor)) static void fillRunes(void) {
  for (int c = 0; c < 256; ++c) {
    runes.lower[c] = c < 128 ? tolower(c) : c;
    runes.upper[c] = c < 128 ? toupper(c) : c;
    if (c >= 128)
      continue;
    uint32_t digit = isdigit(c) ? (uint32_t)(c - '0') : isxdigit(c) ? (uint32_t)(tolower(c) - 'a' + 10) : 0;
    runes.types[c] = (isalpha(c) ? 0x100 : 0) | (iscntrl(c) ? 0x200 : 0) | (isdigit(c) ? 0x400 : 0) |
                     (isgraph(c) ? 0x800 : 0) | (islower(c) ? 0x1000 : 0) | (ispunct(c) ? 0x2000 : 0) |
                     (isspace(c) ? 0x4000 : 0) | (isupper(c) ? 0x8000 : 0) | (isxdigit(c) ? 0x10000 : 0) |
                     (isblank(c) ? 0x20000 : 0) | (isprint(c) ? 0x40000 : 0) | digit;
  }
}
static int runeMask(int c, unsigned long mask) {
  return c >= 0 && c < 256 ? (int)(runes.types[c] & mask) : 0;
}

// CommonCrypto: its contexts are smaller than OpenSSL's and contain a pointer to one.
static int sha256Begin(void** context) {
  *context = malloc(sizeof(SHA256_CTX));
  return SHA256_Init(*context);
}
static int sha256Add(void** context, const void* bytes, uint32_t size) { return SHA256_Update(*context, bytes, size); }
static int sha256End(uint8_t* digest, void** context) {
  int result = SHA256_Final(digest, *context);
  free(*context);
  return result;
}
static int sha384Begin(void** context) {
  *context = malloc(sizeof(SHA512_CTX));
  return SHA384_Init(*context);
}
static int sha384Add(void** context, const void* bytes, uint32_t size) { return SHA384_Update(*context, bytes, size); }
static int sha384End(uint8_t* digest, void** context) {
  int result = SHA384_Final(digest, *context);
  free(*context);
  return result;
}
static int sha1Begin(void** context) {
  *context = malloc(sizeof(SHA_CTX));
  return SHA1_Init(*context);
}
static int sha1Add(void** context, const void* bytes, uint32_t size) { return SHA1_Update(*context, bytes, size); }
static int sha1End(uint8_t* digest, void** context) {
  int result = SHA1_Final(digest, *context);
  free(*context);
  return result;
}

static void fillWithPattern(uint8_t* to, const uint8_t* pattern, size_t size) {
  for (size_t i = 0; i < size; ++i)
    to[i] = pattern[i % 16];
}
// On Linux these are in the compiler's library, which exports nothing.
static unsigned __int128 divide(unsigned __int128 a, unsigned __int128 b) { return a / b; }
static int lowerCase(int c) { return c >= 0 && c < 256 ? runes.lower[c] : c; }
static int upperCase(int c) { return c >= 0 && c < 256 ? runes.upper[c] : c; }

static uintptr_t stackGuard = 0x5ac3d1e0f7b29600; // the lowest byte ends a string

const struct Shim kOtherShims[] = {
    {"___error", errorPlace},
    {"_strerror", errorText},
    {"_strerror_r", errorTextInto},
    {"__NSGetExecutablePath", executablePath},
    {"__NSGetArgc", argumentCountPlace},
    {"__NSGetArgv", argumentsPlace},
    {"__NSGetEnviron", environmentPlace},
    {"_clock_gettime", clockTime},
    {"_sysconf", systemFact},
    {"_getrlimit", readLimit},
    {"_setrlimit", writeLimit},
    {"_sigaction", ignoreSignals},
    {"_sigaltstack", ignoreSignals},
    {"_sigprocmask", ignoreSignals},
    {"_pthread_sigmask", ignoreSignals},
    {"_newlocale", makeLocale},
    {"__DefaultRuneLocale", &runes},
    {"___maskrune", runeMask},
    {"_CC_SHA1_Init", sha1Begin},
    {"_CC_SHA1_Update", sha1Add},
    {"_CC_SHA1_Final", sha1End},
    {"_CC_SHA1", SHA1},
    {"_CC_SHA256_Init", sha256Begin},
    {"_CC_SHA256_Update", sha256Add},
    {"_CC_SHA256_Final", sha256End},
    {"_CC_SHA256", SHA256},
    {"_CC_SHA384_Init", sha384Begin},
    {"_CC_SHA384_Update", sha384Add},
    {"_CC_SHA384_Final", sha384End},
    {"_CC_SHA384", SHA384},
    {"___stack_chk_guard", &stackGuard},
    {"_memset_pattern16", fillWithPattern},
    {"___udivti3", divide},
    {"___tolower", lowerCase},
    {"___toupper", upperCase},
    {"_ceil", ceil},
    {"_ceilf", ceilf},
    {"___stdinp", &stdin},
    {"___stdoutp", &stdout},
    {"___stderrp", &stderr},
    {0},
};
