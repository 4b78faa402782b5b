#include "io/console.h"

#include "io/windows.h"

#include <cstdio>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

namespace tcfix::io {

// The C library's own are in the code page of the system, which the manifest sets to UTF-8 only
// since Windows 10 1903.
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
    ::_setmode(::_fileno(stream), _O_BINARY); // a line ends as it does on the other systems
  ::SetConsoleOutputCP(CP_UTF8);
  for (DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    HANDLE console = ::GetStdHandle(which);
    DWORD mode = 0; // which only a console has
    if (::GetConsoleMode(console, &mode))
      ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

} // namespace tcfix::io
