// The program's arguments and its output streams, with the same behaviour on every system.
#pragma once

#include <string>
#include <vector>

namespace tcfix::io {

/// The arguments as UTF-8, the program's own name first, independent of the system's code page.
std::vector<std::string> arguments(int count, char** values);

/// Sets up standard output and standard error for UTF-8, colours and unmodified bytes.
void prepareConsole();

} // namespace tcfix::io
