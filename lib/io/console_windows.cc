#include "io/console.h"

#include "io/windows.h"

#include <cstdio>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

namespace tcfix::io {

// argv is in the system's code page, which the manifest can set to UTF-8 only since Windows 10
// 1903.
std::vector<std::string> arguments(int count, char** values) {
  int number = 0;
  wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &number);
  if (!words)
    return {values, values + count};
  std::vector<std::string> result(number);
  for (int i = 0; i < number; ++i)
    if (!llvm::convertWideToUTF8(words[i], result[i])) // an unpaired surrogate
      result[i] = i < count ? values[i] : "";
  ::LocalFree(words);
  return result;
}

void prepareConsole() {
  for (FILE* stream : {stdout, stderr})
    ::_setmode(::_fileno(stream), _O_BINARY); // line ends as on other systems
  ::SetConsoleOutputCP(CP_UTF8);
  for (DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    HANDLE console = ::GetStdHandle(which);
    DWORD mode = 0; // only a console has a mode
    if (::GetConsoleMode(console, &mode))
      ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

} // namespace tcfix::io
