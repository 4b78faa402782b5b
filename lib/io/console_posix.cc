#include "io/console.h"

namespace tcfix::io {

std::vector<std::string> arguments(int count, char** values) {
  return {values, values + count};
}

void prepareConsole() {}

} // namespace tcfix::io
