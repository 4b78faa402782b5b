// glibc looks users up through shared libraries, so that its linker warns of every static program
// that refers to that. LLVM does, for "~user" in a path and for a home without $HOME. tcfix asks
// for neither, so the references lead here: there is no such user.
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
