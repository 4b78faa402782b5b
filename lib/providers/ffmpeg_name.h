// The names of FFmpeg's libraries, and which FFmpeg they belong to.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace tcfix::providers {

/// The FFmpeg component and library major that a file or a dependency stands for, on any platform:
/// "@rpath/libavcodec.61.dylib", "libavcodec.so.61", "avcodec-61.dll" give {"avcodec", 61}; so do
/// the hashed names that wheel tools give them.
struct FfmpegName {
  std::string component;
  int libraryMajor = 0;
};
std::optional<FfmpegName> parseFfmpegName(llvm::StringRef dependency);

/// The FFmpeg major whose component has this library major; swresample 4 is 5's and 6's, so that
/// nothing is returned for it.
std::optional<int> ffmpegMajorOf(const FfmpegName& name);

/// The components that torchcodec needs, avcodec first.
llvm::ArrayRef<llvm::StringLiteral> ffmpegComponents();

/// The library major that a component has in an FFmpeg; 0 if either is unknown.
int libraryMajorIn(int ffmpegMajor, llvm::StringRef component);

} // namespace tcfix::providers
