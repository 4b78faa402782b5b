/* A DLL without the C runtime, made by clang and lld: native thread-local storage, imported data,
 * and, with a linker option, no entry point at all. */
__declspec(dllimport) int add(int, int);
__declspec(dllimport) extern int counter;

int _fltused;
unsigned _tls_index;
#pragma section(".tls", read, write)
#pragma section(".tls$ZZZ", read, write)
__declspec(allocate(".tls")) char _tls_start = 0;
__declspec(allocate(".tls$ZZZ")) char _tls_end = 0;
const struct {
  void *start, *end, *index, *callbacks;
  unsigned zeroFill, characteristics;
} _tls_used = {&_tls_start, &_tls_end, &_tls_index, 0, 0, 0};

static __declspec(thread) int perThread = 30;
static int atStart;

__declspec(dllexport) int useFunction(void) { return add(2, 3); }
__declspec(dllexport) int useData(void) { return counter + 1; }
__declspec(dllexport) int useStart(void) { return atStart; }
__declspec(dllexport) int useThread(void) {
  perThread += 1;
  return add(perThread, -perThread) + 9;
}

int DllMain(void* instance, unsigned reason, void* reserved) {
  (void)instance, (void)reserved;
  if (reason == 1)
    atStart = add(20, 1) + counter;
  return 1;
}
