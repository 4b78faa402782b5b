/* A DLL that offers one thing of each kind. The forwarder and the ordinal are in provider.def. */
#include <stdarg.h>

__declspec(dllimport) int siblingValue(void);

__declspec(dllexport) int counter = 41;
__declspec(dllexport) int add(int a, int b) { return a + b; }
__declspec(dllexport) double scale(double a, float b, int c, double d) { return a * b + c * d; }
__declspec(dllexport) int fromSibling(void) { return siblingValue(); }
int byOrdinal(int a) { return a + 700; }

__declspec(dllexport) double sum(int count, ...) {
  va_list list;
  double total = 0;
  va_start(list, count);
  for (int i = 0; i < count; ++i)
    total += va_arg(list, double);
  va_end(list);
  return total;
}

__declspec(dllexport) int many(int a, int b, int c, int d, int e, int f) {
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
