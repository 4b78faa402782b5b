// The names of FFmpeg's libraries, and the FFmpeg version they belong to.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <string>

namespace tcfix::providers {

/// The FFmpeg component and library major in the name of a file or a dependency, on any platform:
/// "@rpath/libavcodec.61.dylib", "libavcodec.so.61", "avcodec-61.dll" give {"avcodec", 61}; so do
/// the hashed names that wheel tools create.
struct FfmpegName {
  std::string component;
  int libraryMajor = 0;
};
std::optional<FfmpegName> parseFfmpegName(llvm::StringRef dependency);

/// The files of FFmpeg's libraries in a directory.
struct FfmpegFiles {
  /// By component and library major: {"avcodec", 61}.
  std::map<std::pair<std::string, int>, std::string> names;

  /// Adds a file, if it is one of FFmpeg's libraries. For a file and the links to it, the shortest
  /// name is kept, which is the one that other libraries depend on.
  void add(llvm::StringRef file);
  /// The file that a dependency refers to; null if it is not one of these.
  const std::string* find(llvm::StringRef dependency) const;
};

/// The FFmpeg major whose component has this library major; nothing for swresample 4, which belongs
/// to both 5 and 6.
std::optional<int> ffmpegMajorOf(const FfmpegName& name);

/// The components that libraries need, avcodec first.
llvm::ArrayRef<llvm::StringLiteral> ffmpegComponents();

/// The library major of a component in an FFmpeg; 0 if either is unknown.
int libraryMajorIn(int ffmpegMajor, llvm::StringRef component);

} // namespace tcfix::providers
