// macho_run PROGRAM [ARGUMENT...]
#define _GNU_SOURCE
#include "macho_run.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void die(const char* format, ...) {
  va_list values;
  va_start(values, format);
  fputs("macho_run: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  abort();
}

static void reportMissing(const char* name) {
  die("%s has no counterpart here", name);
}

/// Code that calls reportMissing with the name of the function.
static void* missing(const char* name) {
  static uint8_t *next, *end;
  const uint8_t code[] = {0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0,  // mov rdi, name
                          0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,  // mov rax, reportMissing
                          0xff, 0xe0};                         // jmp rax
  if (end - next < (long)sizeof code) {
    const size_t size = 1 << 16;
    next = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED)
      die("no room for code");
    end = next + size;
  }
  uint8_t* made = next;
  void (*function)(const char*) = reportMissing;
  memcpy(made, code, sizeof code);
  memcpy(made + 2, &name, sizeof name);
  memcpy(made + 12, &function, sizeof function);
  next += sizeof code;
  return made;
}

void* findSymbol(const char* name) {
  const struct Shim* const tables[] = {kFileShims, kThreadShims, kOtherShims};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
    for (const struct Shim* shim = tables[i]; shim->name; ++shim)
      if (strcmp(shim->name, name) == 0)
        return shim->address;
  void* found = dlsym(RTLD_DEFAULT, name + 1); // C names begin with an underscore on macOS
  if (!found && getenv("MACHO_RUN_MISSING"))
    fprintf(stderr, "macho_run: missing %s\n", name);
  return found ? found : missing(name);
}

int main(int count, char** arguments) {
  if (count < 2)
    die("usage: macho_run PROGRAM [ARGUMENT...]");
  char* path = realpath(arguments[1], NULL);
  if (!path)
    die("%s: not found", arguments[1]);
  struct Image image = loadImage(path);
  int code = runImage(&image, path, count - 1, arguments + 1);
  exit(code);
}
