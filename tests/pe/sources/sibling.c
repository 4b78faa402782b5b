__declspec(dllexport) int siblingValue(void) { return 5; }
