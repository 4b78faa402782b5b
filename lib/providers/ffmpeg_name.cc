#include "providers/ffmpeg_name.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <iterator>

namespace tcfix::providers {

namespace {

constexpr llvm::StringLiteral kComponents[] = {"avcodec",  "avutil",  "avformat",  "avdevice",
                                               "avfilter", "swscale", "swresample"};

/// Library majors by FFmpeg major, in the order of kComponents.
struct Release {
  int major;
  int libraries[std::size(kComponents)];
};
constexpr Release kReleases[] = {
    {4, {58, 56, 58, 58, 7, 5, 3}},  {5, {59, 57, 59, 59, 8, 6, 4}},
    {6, {60, 58, 60, 60, 9, 7, 4}},  {7, {61, 59, 61, 61, 10, 8, 5}},
    {8, {62, 60, 62, 62, 11, 9, 6}}, {9, {63, 61, 63, 63, 12, 10, 7}},
};

std::optional<size_t> indexOf(llvm::StringRef component) {
  const auto* found = llvm::find(kComponents, component);
  if (found == std::end(kComponents))
    return std::nullopt;
  return static_cast<size_t>(found - std::begin(kComponents));
}

/// The number at the start of the text, if `end` or nothing follows it.
std::optional<int> leadingNumber(llvm::StringRef text, char end) {
  int number = 0;
  if (text.consumeInteger(10, number) || number <= 0 || (!text.empty() && text.front() != end))
    return std::nullopt;
  return number;
}

} // namespace

std::optional<FfmpegName> parseFfmpegName(llvm::StringRef dependency) {
  std::string lower = dependency.substr(dependency.find_last_of("/\\") + 1).lower();
  llvm::StringRef name = lower;
  if (name.consume_back(".dll")) { // avcodec-61, avcodec-61-HASH
    auto [component, rest] = name.split('-');
    std::optional<int> number = leadingNumber(rest, '-');
    if (!indexOf(component) || !number)
      return std::nullopt;
    return FfmpegName{component.str(), *number};
  }
  if (!name.consume_front("lib"))
    return std::nullopt;
  llvm::StringRef component =
      name.take_until([](char letter) { return letter == '.' || letter == '-'; });
  llvm::StringRef rest = name.drop_front(component.size());
  if (!indexOf(component))
    return std::nullopt;
  std::optional<int> number;
  if (rest.consume_back(".dylib")) { // libavcodec.61, libavcodec.61.19.101, libavcodec-HASH.61
    number = leadingNumber(rest.substr(rest.find('.') + 1), '.');
  } else if (size_t at = rest.find(".so."); at == 0 || rest.starts_with("-")) {
    if (at != llvm::StringRef::npos) // libavcodec.so.61, libavcodec-HASH.so.61.19.101
      number = leadingNumber(rest.substr(at + 4), '.');
  }
  if (!number)
    return std::nullopt;
  return FfmpegName{component.str(), *number};
}

void FfmpegFiles::add(llvm::StringRef file) {
  std::optional<FfmpegName> parsed = parseFfmpegName(file);
  if (!parsed)
    return;
  std::string& known = names[{parsed->component, parsed->libraryMajor}];
  if (known.empty() || file.size() < known.size())
    known = file;
}

const std::string* FfmpegFiles::find(llvm::StringRef dependency) const {
  std::optional<FfmpegName> name = parseFfmpegName(dependency);
  auto found = name ? names.find({name->component, name->libraryMajor}) : names.end();
  return found == names.end() ? nullptr : &found->second;
}

std::optional<int> ffmpegMajorOf(const FfmpegName& name) {
  std::optional<size_t> index = indexOf(name.component);
  std::optional<int> found;
  for (const Release& release : kReleases) {
    if (!index || release.libraries[*index] != name.libraryMajor)
      continue;
    if (found)
      return std::nullopt;
    found = release.major;
  }
  return found;
}

llvm::ArrayRef<llvm::StringLiteral> ffmpegComponents() {
  return kComponents;
}

int libraryMajorIn(int ffmpegMajor, llvm::StringRef component) {
  std::optional<size_t> index = indexOf(component);
  for (const Release& release : kReleases)
    if (index && release.major == ffmpegMajor)
      return release.libraries[*index];
  return 0;
}

} // namespace tcfix::providers
