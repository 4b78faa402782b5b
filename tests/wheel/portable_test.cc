// The edits of a library that may be installed anywhere.

#include "image/names.h"
#include "wheel/portable.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Image library(Format format, const std::vector<std::string>& dependencies,
              const std::vector<std::string>& searchPaths = {}) {
  Image image;
  image.format = format;
  Slice& slice = image.slices.emplace_back();
  for (const std::string& name : dependencies)
    slice.dependencies.push_back({name});
  slice.searchPaths = searchPaths;
  return image;
}

std::string editText(const plan::PlannedEdit& edit) {
  if (const auto* add = std::get_if<AddSearchPath>(&edit.edit))
    return "+ " + add->path;
  if (const auto* rename = std::get_if<RenameDependency>(&edit.edit))
    return rename->from + " -> " + rename->to;
  if (const auto* remove = std::get_if<RemoveDependency>(&edit.edit))
    return "- " + remove->name;
  if (const auto* delay = std::get_if<DelayDependency>(&edit.edit))
    return "delay " + delay->pattern;
  if (const auto* kind = std::get_if<SetSearchPathKind>(&edit.edit))
    return nameOf(kind->kind).str();
  return "another edit";
}

std::vector<std::string> editsOf(const Image& image, const plan::UnknownDiskRequest& request = {},
                                 const std::string& member = "torchcodec/libtorchcodec_core7.x") {
  std::vector<std::string> texts;
  for (const plan::PlannedEdit& edit : wheel::portableEdits(image, member, request))
    texts.push_back(editText(edit));
  return texts;
}

plan::FfmpegBeside pyav() {
  plan::FfmpegBeside ffmpeg;
  ffmpeg.folder = "av.libs";
  ffmpeg.description = "PyAV 15";
  ffmpeg.files.add("libavutil-1a.so.59.1.100");
  ffmpeg.files.add("libavcodec-2b.so.61.1.100");
  return ffmpeg;
}

TEST(Portable, Macos) {
  EXPECT_THAT(editsOf(library(Format::MachO, {"@rpath/libc10.dylib", "@rpath/libavutil.59.dylib"})),
              ElementsAre("+ @loader_path/../torch/lib", "+ /opt/homebrew/lib"));
  EXPECT_THAT(
      editsOf(library(Format::MachO, {"@rpath/libtorch.dylib"}), {}, "a/b/libtorchcodec.so"),
      ElementsAre("+ @loader_path/../../torch/lib"));
  EXPECT_THAT(editsOf(library(Format::MachO, {"@rpath/libheif.1.dylib"})),
              ElementsAre("+ /opt/homebrew/lib"));
  EXPECT_THAT(editsOf(library(Format::MachO,
                              {"@rpath/libtorchcodec_core7.dylib",
                               "@loader_path/.dylibs/libz.1.dylib", "/usr/lib/libSystem.B.dylib"})),
              IsEmpty());
}

TEST(Portable, LinuxKeepsTheExistingKind) {
  EXPECT_THAT(editsOf(library(Format::Elf, {"libc10.so", "libavutil.so.59"})),
              ElementsAre("+ $ORIGIN/../torch/lib", "rpath"));
  EXPECT_THAT(editsOf(library(Format::Elf, {"libc10.so"}, {"$ORIGIN"})),
              ElementsAre("+ $ORIGIN/../torch/lib"));
  EXPECT_THAT(editsOf(library(Format::Elf, {"libpython3.12.so.1.0"})),
              ElementsAre("- libpython3.12.so.1.0"));
}

TEST(Portable, WindowsDelaysItsDependencies) {
  EXPECT_THAT(
      editsOf(library(Format::Pe, {"KERNEL32.dll", "c10.dll", "AVUTIL-59.dll", "torch_cpu.dll"})),
      ElementsAre("delay c10.dll", "delay torch_cpu.dll", R"(+ $ORIGIN\..\torch\lib)",
                  "delay AVUTIL-59.dll", "+ %FFMPEG_SHARED_BIN%"));
  plan::UnknownDiskRequest literal{{"C:\\x"}};
  EXPECT_THAT(editsOf(library(Format::Pe, {"KERNEL32.dll", "libtorchcodec_core7.dll"}), literal),
              IsEmpty());
  EXPECT_THAT(editsOf(library(Format::Pe, {"avutil-59.dll"}), literal),
              ElementsAre("+ C:\\x", "delay avutil-59.dll"));
}

TEST(Portable, LiteralEntriesReplaceTheDefaultOnes) {
  EXPECT_THAT(editsOf(library(Format::MachO, {"@rpath/libc10.dylib", "@rpath/libavutil.59.dylib"}),
                      {{"/a", "/b"}}),
              ElementsAre("+ /a", "+ /b"));
}

TEST(Portable, FfmpegBesideIsUsedCompletely) {
  plan::FfmpegBeside ffmpeg = pyav();
  plan::UnknownDiskRequest request{{}, &ffmpeg};
  EXPECT_THAT(
      editsOf(library(Format::Elf, {"libavutil.so.59", "libavcodec.so.61"}, {"/x"}), request),
      ElementsAre("libavutil.so.59 -> libavutil-1a.so.59.1.100",
                  "libavcodec.so.61 -> libavcodec-2b.so.61.1.100", "+ $ORIGIN/../av.libs",
                  "rpath"));
  // A library of another major, or a missing one: no entry at all.
  EXPECT_THAT(editsOf(library(Format::Elf, {"libavutil.so.59", "libavcodec.so.62"}), request),
              IsEmpty());
  EXPECT_THAT(editsOf(library(Format::Elf, {"libavutil.so.59", "libswscale.so.8"}), request),
              IsEmpty());
}

TEST(Portable, NamesOfCertainFilesAreReplaced) {
  EXPECT_THAT(editsOf(library(Format::MachO, {"@rpath/libavcodec.61.19.101.dylib",
                                              "@rpath/libavutil-0123abcd.59.dylib"})),
              IsEmpty());
  EXPECT_THAT(editsOf(library(Format::Pe, {"avcodec-61-0123abcd.dll"})), IsEmpty());
}

} // namespace
} // namespace tcfix::support
