// A directory for fuzzed code that works on files.
#pragma once

#include "fuzz/property.h"

#include "base/bytes.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tcfix::fuzz {

/// A temporary directory for each process, in memory if possible, removed at the end.
class Directory {
public:
  Directory() {
    namespace fs = std::filesystem;
    const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    path = (parent / "tcfix-fuzz-XXXXXX").string();
    expect(::mkdtemp(path.data()) != nullptr, "a temporary directory can be created");
  }
  ~Directory() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }

  std::string write(const std::string& name, Bytes content) const {
    const std::string file = path + "/" + name;
    std::ofstream(file, std::ios::binary)
        .write(textOf(content).data(), static_cast<std::streamsize>(content.size()));
    return file;
  }

  std::string path;
};

/// Removes a length of two bytes and that many bytes from the start of `rest`; returns those bytes.
inline Bytes takePart(Bytes& rest) {
  if (rest.size() < 2) {
    rest = {};
    return {};
  }
  const size_t length = std::min<size_t>(rest[0] | rest[1] << 8, rest.size() - 2);
  const Bytes content = rest.slice(2, length);
  rest = rest.drop_front(2 + length);
  return content;
}

} // namespace tcfix::fuzz
