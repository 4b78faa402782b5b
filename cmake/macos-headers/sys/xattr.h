// The one header of macOS that tcfix uses and zig does not bring: its one function that we call.
#include <sys/types.h>
extern "C" ssize_t getxattr(const char*, const char*, void*, size_t, u_int32_t, int);
