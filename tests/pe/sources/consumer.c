/* A DLL that uses provider.dll in every way; each function gives a number that is known. With
 * WITH_DATA it also imports data, which cannot be bound lazily; with WITH_CALLBACK it has a TLS callback
 * that calls the provider; with NO_CALL_AT_START its DllMain calls nothing. */
#include <windows.h>

__declspec(dllimport) int add(int, int);
__declspec(dllimport) double scale(double, float, int, double);
__declspec(dllimport) double sum(int, ...);
__declspec(dllimport) int many(int, int, int, int, int, int);
__declspec(dllimport) int fromSibling(void);
__declspec(dllimport) int byOrdinal(int);
__declspec(dllimport) int forwarded(void);

static int atStart, atCallback;
static __thread int perThread = 30;

__declspec(dllexport) int useFunction(void) { return add(2, 3); }
__declspec(dllexport) int useFloats(void) { return (int)scale(1.5, 2.0f, 3, 0.5 * 8); }
__declspec(dllexport) int useVarargs(void) { return (int)sum(5, 1.0, 2.0, 3.0, 4.0, 5.0); }
__declspec(dllexport) int useStack(void) { return many(1, 2, 3, 4, 5, 6); }
__declspec(dllexport) int useSibling(void) { return fromSibling(); }
__declspec(dllexport) int useOrdinal(void) { return byOrdinal(7); }
__declspec(dllexport) int useForwarder(void) { return forwarded(); }
__declspec(dllexport) int useStart(void) { return atStart; }
__declspec(dllexport) int useCallback(void) { return atCallback; }
__declspec(dllexport) int useThread(void) {
  perThread += 1;
  return add(perThread, -perThread) + 9;
}
#ifdef WITH_DATA
__declspec(dllimport) extern int counter;
__declspec(dllexport) int useData(void) { return counter + 1; }
#endif

#ifdef WITH_CALLBACK
static void NTAPI callback(PVOID module, DWORD reason, PVOID reserved) {
  (void)module, (void)reserved;
  if (reason == DLL_PROCESS_ATTACH)
    atCallback = add(60, 6);
}
/* The C runtime gathers the callbacks from these sections; two, so that the second one's place
 * after a failure is tested as well. */
__attribute__((section(".CRT$XLB"), used)) PIMAGE_TLS_CALLBACK first = callback;
__attribute__((section(".CRT$XLC"), used)) PIMAGE_TLS_CALLBACK second = callback;
#endif

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved) {
  (void)instance, (void)reserved;
#ifndef NO_CALL_AT_START
  if (reason == DLL_PROCESS_ATTACH)
    atStart = add(20, 1);
#endif
  return TRUE;
}
