// Facts: everything that a plan is made from, gathered once. Plain values; rules only read them.
#pragma once

#include "env/package.h"
#include "providers/ffmpeg.h"
#include "providers/torch.h"
#include "resolve/session.h"

namespace tcfix::plan {

/// A library of the package, as the installer left it.
struct LibraryFacts {
  std::string path; ///< host path
  std::string name; ///< file name
  int major = 0;    ///< the FFmpeg major in its name (libtorchcodec_core7); 0 if there is none
  int rank = 0;     ///< its place in the order in which torchcodec loads a major's libraries
  /// Dependencies and search paths before tcfix changed them; the file itself may have other ones.
  resolve::Disguise original;
};

/// One package in one site, and the world around it.
struct PackageFacts {
  env::Package package;
  Format platform = Format::MachO;
  std::string root; ///< host path of the environment: what lies below moves with it
  std::vector<LibraryFacts> libraries;
  std::optional<providers::TorchInstall> torch;
  std::vector<std::string> torchNames; ///< the libraries in torch/lib, by file name
  std::vector<providers::FfmpegInstall> ffmpegs;
  /// Folders that may hold what else is missing: grafted libraries, nvidia's, Homebrew's.
  std::vector<std::string> otherFolders;
  resolve::ProcessOptions process;
};

/// Libraries that stand or fall together: those of one FFmpeg major, in the order of loading.
struct Group {
  int major = 0; ///< 0: one library that belongs to no major
  std::vector<const LibraryFacts*> libraries;
};

/// The majors from the highest to the lowest, as torchcodec tries them, then all other libraries.
std::vector<Group> groupsOf(const PackageFacts& facts);

/// What a file name says: "libtorchcodec_custom_ops7.dylib" is {7, 1}.
void readName(LibraryFacts& library);

/// The FFmpeg major that the dependencies name; nothing if they name none.
std::optional<int> ffmpegMajorOf(const LibraryFacts& library);

} // namespace tcfix::plan
