/* A program that needs consumer.dll from its start: its DllMain runs before main. */
#include <stdio.h>
__declspec(dllimport) int useFunction(void);
__declspec(dllimport) int useStart(void);
int main(void) {
  printf("%d %d\n", useFunction(), useStart());
  return 0;
}
