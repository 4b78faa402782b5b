#include "wheel/portable.h"

#include "image/names.h"
#include "providers/places.h"
#include "providers/torch.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::wheel {

using plan::Wish;

namespace {

constexpr llvm::StringLiteral kTorchFolder = "torch/lib";

constexpr llvm::StringLiteral kSharedBin = "%FFMPEG_SHARED_BIN%";

/// The name without hash or exact version, which any FFmpeg of that major has.
std::string plainName(const providers::FfmpegName& name, Format platform) {
  std::string number = std::to_string(name.libraryMajor);
  switch (platform) {
  case Format::MachO:
    return "lib" + name.component + "." + number + ".dylib";
  case Format::Elf:
    return "lib" + name.component + ".so." + number;
  case Format::Pe:
    return name.component + "-" + number + ".dll";
  }
  return {};
}

/// One library's wishes in the making.
class Wishes {
public:
  Wishes(const Image& image, llvm::StringRef member, const PortableRequest& request)
      : image(image), folder(llvm::sys::path::parent_path(member, llvm::sys::path::Style::posix)),
        request(request) {
    for (const Slice& slice : image.slices)
      for (const Dependency& dependency : slice.dependencies)
        sort(dependency.name);
  }

  std::vector<Wish> run() {
    for (const std::string& entry : request.searchPaths)
      add(entry, "asked for");
    if (!torch.empty()) {
      delay(torch);
      if (request.searchPaths.empty())
        add(entryTo(kTorchFolder), "leads to torch");
    }
    const bool isBeside = isFfmpegBeside();
    if (isBeside)
      leadToFfmpegBeside();
    else
      leadToFfmpegOfSystem();
    if (image.format == Format::Elf)
      finishElf(isBeside);
    return std::move(list);
  }

private:
  void sort(const std::string& name) {
    auto note = [&](std::vector<std::string>& names) {
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    };
    llvm::StringRef rest = name;
    if (providers::isTorchLibrary(name))
      note(torch);
    else if (providers::parseFfmpegName(name))
      note(ffmpeg);
    else if (rest.consume_front("@rpath/") && !rest.starts_with("libtorchcodec"))
      note(others);
  }

  std::string entryTo(llvm::StringRef target) const {
    return plan::relativeSearchPath(image.format, folder, target);
  }

  void add(const std::string& entry, const std::string& reason) {
    // Windows' list is for the DLLs that are delayed; without them it has no reader.
    if (image.format != Format::Pe || !torch.empty() || !ffmpeg.empty())
      list.push_back({AddSearchPath{entry, false}, reason});
  }

  void delay(llvm::ArrayRef<std::string> names) {
    if (image.format == Format::Pe)
      for (const std::string& name : names)
        list.push_back({DelayDependency{name, false}, "so that the search list leads to it"});
  }

  // All of it from one place: a library that finds only a part there takes none.
  bool isFfmpegBeside() const {
    return request.ffmpeg && !ffmpeg.empty() && llvm::all_of(ffmpeg, [&](const std::string& name) {
             return request.ffmpeg->find(name);
           });
  }

  void leadToFfmpegBeside() {
    for (std::string& name : ffmpeg) {
      std::string renamed =
          name.substr(0, name.size() - baseName(name).size()) + *request.ffmpeg->find(name);
      if (renamed != name)
        list.push_back(
            {RenameDependency{name, renamed}, "its name in " + request.ffmpeg->description});
      name = renamed;
    }
    delay(ffmpeg);
    add(entryTo(request.ffmpeg->folder), "leads to " + request.ffmpeg->description);
  }

  void leadToFfmpegOfSystem() {
    // A name with a hash or an exact version is one certain file's, and has its entry already.
    llvm::erase_if(ffmpeg, [&](const std::string& name) {
      return !baseName(name).equals_insensitive(
          plainName(*providers::parseFfmpegName(name), image.format));
    });
    delay(ffmpeg);
    if (!request.searchPaths.empty())
      return;
    if (image.format == Format::MachO && !(ffmpeg.empty() && others.empty()))
      // Linux's loader searches such places by itself.
      add(providers::kHomebrewPrefix.str() + "/lib",
          ffmpeg.empty() ? "leads to " + baseName(others.front()).str()
                         : "leads to Homebrew's FFmpeg");
    if (image.format == Format::Pe && !ffmpeg.empty())
      add(kSharedBin.str(), "leads to FFmpeg where that variable is set");
  }

  // RPATH, unless the library has the other kind already: in an environment whose Python finds
  // FFmpeg by its own RPATH (conda's does), a RUNPATH here would switch that off. RPATH also
  // reaches the dependencies of dependencies, which PyAV's libraries need.
  void finishElf(bool mustReachFar) {
    const Slice& slice = image.slices.front();
    if (!list.empty() && (slice.searchPaths.empty() || mustReachFar))
      list.push_back({SetSearchPathKind{SearchPathKind::Rpath},
                      "a RUNPATH would switch off the search paths of others"});
    for (const Dependency& dependency : slice.dependencies)
      if (llvm::StringRef(dependency.name).starts_with("libpython"))
        list.push_back({RemoveDependency{dependency.name},
                        "the interpreter has its symbols, and often no such library"});
  }

  const Image& image;
  std::string folder;
  const PortableRequest& request;
  std::vector<std::string> torch, ffmpeg; ///< dependencies
  std::vector<std::string> others;        ///< macOS: looked for in search paths, too; libheif
  std::vector<Wish> list;
};

} // namespace

const std::string* FfmpegBeside::find(llvm::StringRef dependency) const {
  std::optional<providers::FfmpegName> name = providers::parseFfmpegName(dependency);
  if (!name)
    return nullptr;
  auto found = files.find({name->component, name->libraryMajor});
  return found == files.end() ? nullptr : &found->second;
}

std::vector<Wish> portableWishes(const Image& image, llvm::StringRef member,
                                 const PortableRequest& request) {
  return Wishes(image, member, request).run();
}

} // namespace tcfix::wheel
