// glibc looks up users through shared libraries, so the linker warns about static programs that
// refer to these functions. LLVM does, for "~user" in a path and for the home directory without
// $HOME. tcfix uses neither, so these replacements report that there is no such user.
#include <cerrno>
#include <pwd.h>

extern "C" {

int __wrap_getpwnam_r(const char* /*name*/, passwd* /*entry*/, char* /*buffer*/, size_t /*size*/,
                      passwd** result) {
  *result = nullptr;
  return ENOENT;
}

int __wrap_getpwuid_r(uid_t /*user*/, passwd* /*entry*/, char* /*buffer*/, size_t /*size*/,
                      passwd** result) {
  *result = nullptr;
  return ENOENT;
}
}
