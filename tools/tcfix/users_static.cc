// glibc looks users up through shared libraries, so that its linker warns of every static program that
// refers to that. LLVM does, for "~user" in a path, which tcfix never expands: the reference leads here.
#include <pwd.h>

extern "C" passwd* __wrap_getpwnam(const char* /*name*/) {
  return nullptr;
}
