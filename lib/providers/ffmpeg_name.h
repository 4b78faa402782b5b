// The names of FFmpeg's libraries, and the FFmpeg version they belong to.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

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

/// The FFmpeg major whose component has this library major; nothing for swresample 4, which belongs
/// to both 5 and 6.
std::optional<int> ffmpegMajorOf(const FfmpegName& name);

/// The components that libraries need, avcodec first.
llvm::ArrayRef<llvm::StringLiteral> ffmpegComponents();

/// The library major of a component in an FFmpeg; 0 if either is unknown.
int libraryMajorIn(int ffmpegMajor, llvm::StringRef component);

} // namespace tcfix::providers
