/* Used instead of Python: loads libraries one after the other, as torchcodec does, and prints for each
 * "loaded" or ld.so's message.
 *
 * Everything is bound before a library's own code runs (RTLD_NOW). That code registers operators
 * with torch; the stand-in for torch then calls wasCalled, and that the library had come so far is
 * all that is asked. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf beforeLoading;

__attribute__((visibility("default"))) void wasCalled(void) { longjmp(beforeLoading, 1); }

int main(int count, char** paths) {
  for (volatile int i = 1; i < count; ++i) {
    if (setjmp(beforeLoading) || dlopen(paths[i], RTLD_NOW))
      puts("loaded");
    else
      puts(dlerror());
    fflush(stdout);
  }
  return 0;
}
