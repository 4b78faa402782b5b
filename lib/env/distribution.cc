#include "env/distribution.h"

#include "base/paths.h"
#include "env/prefix.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::env {

std::string normalizedName(llvm::StringRef name) {
  std::string text;
  for (char letter : name) {
    bool isDash = letter == '-' || letter == '_' || letter == '.';
    if (!isDash)
      text += llvm::toLower(letter);
    else if (text.empty() || text.back() != '-')
      text += '-';
  }
  return text;
}

std::vector<Distribution> distributionsIn(const std::string& site, const io::TargetDisk& disk) {
  std::vector<Distribution> found;
  for (const std::string& entry : disk.list(site)) {
    llvm::StringRef stem = entry;
    if (!stem.consume_back(".dist-info") && !stem.consume_back(".egg-info"))
      continue;
    // Both parts are written without dashes of their own. An .egg-info may go on with the Python.
    auto [name, rest] = stem.split('-');
    found.push_back({name.str(), rest.split('-').first.str(), joined(site, entry)});
  }
  return found;
}

std::vector<Distribution> distributionsOf(llvm::StringRef name, const std::string& site,
                                          const io::TargetDisk& disk) {
  std::vector<Distribution> found = distributionsIn(site, disk);
  std::string wanted = normalizedName(name);
  llvm::erase_if(found,
                 [&](const Distribution& each) { return normalizedName(each.name) != wanted; });
  llvm::stable_sort(found, [](const Distribution& left, const Distribution& right) {
    return isOlder(right.version, left.version);
  });
  return found;
}

void readMetadata(Distribution& distribution, const io::TargetDisk& disk) {
  for (const char* name : {"METADATA", "PKG-INFO"}) {
    llvm::Expected<io::InputFile> file = disk.open(joined(distribution.entry, name));
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    llvm::StringRef rest = textOf(file->bytes());
    while (!rest.empty()) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      line = line.rtrim('\r');
      if (line.empty())
        return; // the description follows
      if (line.consume_front("Version:"))
        distribution.version = line.trim().str();
      else if (line.consume_front("Name:"))
        distribution.name = line.trim().str();
    }
    return;
  }
}

bool isOlder(llvm::StringRef version, llvm::StringRef other) {
  while (!version.empty() && !other.empty()) {
    auto [left, leftRest] = version.split('.');
    auto [right, rightRest] = other.split('.');
    uint64_t leftNumber = 0, rightNumber = 0;
    bool isNumber = !left.consumeInteger(10, leftNumber);
    bool isOtherNumber = !right.consumeInteger(10, rightNumber);
    if (isNumber != isOtherNumber)
      return !isNumber; // "dev1" comes before "1"
    if (leftNumber != rightNumber)
      return leftNumber < rightNumber;
    if (left != right) // "1rc1" comes before "1", and that before "1+cu128"
      return left.empty()    ? right.starts_with("+")
             : right.empty() ? !left.starts_with("+")
                             : left < right;
    version = leftRest;
    other = rightRest;
  }
  return version.empty() && !other.empty() && llvm::isDigit(other.front());
}

} // namespace tcfix::env
