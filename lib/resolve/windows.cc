#include "resolve/process.h"
namespace tcfix::resolve {
LoadResult loadByWindows(Process&, const std::string&) {
  return {};
}
} // namespace tcfix::resolve
