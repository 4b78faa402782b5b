// The arguments of the program and the streams that it prints to, the same on every system.
#pragma once

#include <string>
#include <vector>

namespace tcfix::io {

/// The arguments as UTF-8, the program's own name first, whatever the code page of the system.
std::vector<std::string> arguments(int count, char** values);

/// Lets standard output and error carry UTF-8, colours and the very bytes that are printed.
void prepareConsole();

} // namespace tcfix::io
