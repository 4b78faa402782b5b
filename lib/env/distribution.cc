#include "env/distribution.h"

#include "base/paths.h"
#include "base/version.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

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

std::string moduleName(llvm::StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::vector<Distribution> distributionsIn(const std::string& site, const io::TargetDisk& disk) {
  std::vector<Distribution> found;
  for (const std::string& entry : disk.list(site)) {
    llvm::StringRef stem = entry;
    if (!stem.consume_back(".dist-info") && !stem.consume_back(".egg-info"))
      continue;
    // Name and version contain no dashes. An .egg-info may also have the Python version.
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

llvm::StringRef metadataField(llvm::StringRef metadata, llvm::StringRef name) {
  while (!metadata.empty()) {
    llvm::StringRef line;
    std::tie(line, metadata) = metadata.split('\n');
    line = line.rtrim('\r');
    if (line.empty())
      break; // end of the header
    if (line.consume_front_insensitive(name) && line.consume_front(":"))
      return line.trim();
  }
  return {};
}

std::vector<std::string> requirementsOf(const std::string& distInfo, const io::TargetDisk& disk) {
  std::optional<io::InputFile> file =
      llvm::expectedToOptional(disk.open(joined(distInfo, "METADATA")));
  std::vector<std::string> names;
  llvm::StringRef rest = file ? textOf(file->bytes()) : llvm::StringRef();
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.rtrim('\r');
    if (line.empty())
      break; // the description follows
    if (line.consume_front_insensitive("Requires-Dist:") && !line.contains("extra ="))
      names.push_back(line.trim()
                          .take_while([](char letter) {
                            return llvm::isAlnum(letter) || letter == '-' || letter == '_' ||
                                   letter == '.';
                          })
                          .str());
  }
  return names;
}

RecordFile readRecord(const Distribution& distribution, const io::TargetDisk& disk) {
  RecordFile result;
  result.path = joined(distribution.entry, "RECORD");
  llvm::Expected<io::InputFile> file = disk.openText(result.path);
  if (!file) {
    result.problem = toProblem(file.takeError(), result.path);
    result.problem->hint = "tcfix finds libraries by file name instead";
    return result;
  }
  llvm::Expected<Record> record = Record::parse(textOf(file->bytes()));
  if (record)
    result.record = std::move(*record);
  else
    result.problem = toProblem(record.takeError(), result.path);
  return result;
}

std::vector<Distribution> distributionsListing(llvm::StringRef beginning, const std::string& site,
                                               const io::TargetDisk& disk) {
  std::vector<Distribution> found = distributionsIn(site, disk);
  llvm::erase_if(found, [&](const Distribution& each) {
    if (each.name.empty() || !llvm::isAlnum(each.name.front()))
      return true; // ~orchcodec
    std::optional<io::InputFile> file =
        llvm::expectedToOptional(disk.openText(joined(each.entry, "RECORD")));
    if (!file || !textOf(file->bytes()).contains(beginning))
      return true; // avoids parsing most of them, which would take long
    std::optional<Record> record = llvm::expectedToOptional(Record::parse(textOf(file->bytes())));
    return !record || llvm::none_of(record->rows(), [&](const RecordRow& row) {
      return llvm::StringRef(row.path).starts_with(beginning);
    });
  });
  return found;
}

void readMetadata(Distribution& distribution, const io::TargetDisk& disk) {
  for (const char* file : {"METADATA", "PKG-INFO"}) {
    std::optional<io::InputFile> input =
        llvm::expectedToOptional(disk.openText(joined(distribution.entry, file)));
    if (!input)
      continue;
    llvm::StringRef text = textOf(input->bytes());
    if (llvm::StringRef name = metadataField(text, "Name"); !name.empty())
      distribution.name = name.str();
    if (llvm::StringRef version = metadataField(text, "Version"); !version.empty())
      distribution.version = version.str();
    return;
  }
}

} // namespace tcfix::env
