#include "wheel/bundle.h"

#include "apply/library_rewrite.h"
#include "base/paths.h"
#include "image/names.h"
#include "io/digest.h"
#include "io/host.h"
#include "resolve/ld_so_places.h"
#include "resolve/windows_names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::wheel {

namespace path = llvm::sys::path;

namespace {

bool isSystemLibrary(llvm::StringRef dependency, Platform platform) {
  llvm::StringRef name = baseName(dependency);
  switch (platform) {
  case Platform::MacOs:
    return dependency.starts_with("/usr/lib/") || dependency.starts_with("/System/");
  case Platform::Linux:
    return resolve::baseLibrary(name).isPortable || name.starts_with("ld-musl") ||
           name.starts_with("libc.musl");
  case Platform::Windows:
    return resolve::isApiSet(name) || resolve::isWindowsLibrary(name);
  }
  return false;
}

/// libavcodec.so.61 becomes libavcodec-1a2b3c4d.so.61; avcodec-61.dll, avcodec-61-1a2b3c4d.dll.
std::string hashedName(llvm::StringRef name, llvm::StringRef sha256, Platform platform) {
  size_t dot = platform == Platform::Windows ? name.rfind('.') : name.find('.');
  dot = std::min(dot, name.size());
  return (name.take_front(dot) + "-" + sha256.take_front(8) + name.drop_front(dot)).str();
}

/// One library of the directory.
struct Source {
  std::string path;
  std::unique_ptr<io::InputFile> file;
  Image image;
  std::string sha256, newName;
};

class Bundler {
public:
  Bundler(const std::string& folder, const Contents& wheel, llvm::ArrayRef<const Image*> images,
          const formats::Signing& signing)
      : folder(folder), wheel(wheel), images(images), signing(signing),
        platform(platformOf(images.front()->format)) {}

  llvm::Expected<Bundle> run();

private:
  /// Finds the FFmpeg libraries that the wheel depends on; false if it already contains an FFmpeg.
  llvm::Expected<bool> findRoots();
  llvm::Error collect(const std::string& name);
  llvm::Expected<BundledFile> rewrite(const Source& source, const std::string& target) const;
  /// The key under which a dependency is looked up.
  std::string nameOf(llvm::StringRef dependency) const;
  /// The path in the directory; empty if there is no such file.
  std::string find(llvm::StringRef name) const;
  void warn(const std::string& message) {
    bundle.warnings.push_back({std::nullopt, message, folder, {}});
  }
  void warnAboutSystem(const Source& source);

  const std::string& folder;
  const Contents& wheel;
  llvm::ArrayRef<const Image*> images;
  const formats::Signing& signing;
  Platform platform;
  std::set<std::string> roots, absent;
  std::vector<std::string> queue;
  std::map<std::string, Source> sources; ///< by dependency name
  Bundle bundle;
};

// DLL names are case-insensitive on Windows.
std::string Bundler::nameOf(llvm::StringRef dependency) const {
  llvm::StringRef name = baseName(dependency);
  return platform == Platform::Windows ? name.lower() : name.str();
}

std::string Bundler::find(llvm::StringRef name) const {
  std::string found =
      platform == Platform::Windows ? io::findIgnoringCase(folder, name) : joined(folder, name);
  return io::isFile(found) ? found : std::string();
}

llvm::Expected<bool> Bundler::findRoots() {
  std::set<std::string> inside, missing;
  for (const ZipMember& member : wheel.members())
    inside.insert(nameOf(member.name));
  bool hasOneInside = false;
  for (const Image* image : images) {
    std::set<std::string> wanted;
    for (const Slice& slice : image->slices)
      for (const Dependency& dependency : slice.dependencies)
        if (providers::parseFfmpegName(dependency.name))
          wanted.insert(nameOf(dependency.name));
    auto isInside = [&](const std::string& name) { return inside.count(name) != 0; };
    auto isAbsent = [&](const std::string& name) { return find(name).empty(); };
    if (wanted.empty())
      continue;
    if (llvm::all_of(wanted, isInside))
      hasOneInside = true;
    else if (llvm::none_of(wanted, isAbsent))
      roots.insert(wanted.begin(), wanted.end());
    else
      missing.insert(*llvm::find_if(wanted, isAbsent));
  }
  if (roots.empty() && !hasOneInside)
    return fail(ErrorCode::Unsupported,
                "no compatible FFmpeg in " + folder +
                    (missing.empty() ? "" : ": " + llvm::join(missing, ", ") + " not found"),
                "the directory must contain the shared libraries, with their usual names");
  return !roots.empty();
}

llvm::Error Bundler::collect(const std::string& name) {
  Source source;
  source.path = find(name);
  llvm::Expected<io::InputFile> file = io::InputFile::open(source.path);
  if (!file)
    return within(source.path, file.takeError());
  source.file = std::make_unique<io::InputFile>(std::move(*file));
  llvm::Expected<Image> image = formats::inspect(source.file->bytes());
  if (!image)
    return within(source.path, image.takeError());
  source.image = std::move(*image);
  for (const Slice& slice : images.front()->slices)
    if (source.image.format != formatOf(platform) ||
        llvm::none_of(source.image.slices,
                      [&](const Slice& one) { return one.arch == slice.arch; }))
      return fail(ErrorCode::Unsupported, ("is for " + formats::nameOf(formatOf(platform)) + " " +
                                           slice.arch + ", and " + source.path + " is not")
                                              .str());
  if (llvm::Error error =
          source.file->checkWhole(io::sha256Of(source.file->bytes()).moveInto(source.sha256)))
    return within(source.path, std::move(error));
  source.newName = hashedName(name, source.sha256, platform);
  warnAboutSystem(source);
  for (const Slice& slice : source.image.slices)
    for (const Dependency& dependency : slice.dependencies) {
      std::string wanted = nameOf(dependency.name);
      if (isSystemLibrary(dependency.name, platform) || sources.count(wanted))
        continue;
      if (!find(wanted).empty())
        queue.push_back(wanted);
      else if (absent.insert(wanted).second)
        warn("does not include " + wanted + ", which " + name +
             " needs: every machine must have it");
    }
  sources.emplace(name, std::move(source));
  return llvm::Error::success();
}

// A wheel's tag states the oldest system that it works on; an FFmpeg built on a newer system breaks
// that promise.
void Bundler::warnAboutSystem(const Source& source) {
  for (const Slice& slice : source.image.slices) {
    llvm::StringRef needed = platform == Platform::Linux ? slice.minGlibc : slice.minOs;
    std::optional<Version> wanted = parseVersion(needed);
    std::optional<Version> promised = wheel.name().leastSystem();
    if (wanted && promised && *promised < *wanted)
      warn(path::filename(source.path).str() + " needs " +
           (platform == Platform::Linux ? "glibc " : "macOS ") + needed.str() +
           ", which is newer than the wheel's tag");
  }
}

llvm::Expected<BundledFile> Bundler::rewrite(const Source& source,
                                             const std::string& target) const {
  std::vector<plan::PlannedEdit> edits;
  using Why = plan::Reason::Kind;
  auto add = [&](Edit edit, Why why, const char* what = "") {
    edits.push_back({std::move(edit), {why, what}});
  };
  bool needsOthers = false;
  std::set<std::string> seen;
  for (const Slice& slice : source.image.slices) {
    if (platform == Platform::MacOs || platform == Platform::Linux)
      for (const std::string& entry : slice.searchPaths)
        if (entry != "$ORIGIN" && seen.insert(entry).second)
          add(RemoveSearchPath{entry}, Why::OtherMachine);
    for (const Dependency& dependency : slice.dependencies) {
      auto other = sources.find(nameOf(dependency.name));
      if (other == sources.end() || isSystemLibrary(dependency.name, platform) ||
          !seen.insert(dependency.name).second)
        continue;
      needsOthers = true;
      add(RenameDependency{dependency.name, (platform == Platform::MacOs ? "@loader_path/" : "") +
                                                other->second.newName},
          Why::NameIn, "the wheel");
    }
  }
  if (platform == Platform::MacOs && source.image.slices.front().identity)
    add(SetIdentity{"@rpath/" + source.newName}, Why::NameIn, "the wheel");
  if (platform == Platform::Linux) {
    add(SetIdentity{source.newName}, Why::NameIn, "the wheel");
    if (needsOthers) {
      add(AddSearchPath{"$ORIGIN", false}, Why::ToFind, "the others in the wheel");
      add(SetSearchPathKind{SearchPathKind::Rpath}, Why::RunpathHides);
    }
  }
  BundledFile bundled;
  commit::FileOutcome& outcome = bundled.outcome;
  outcome.path = target;
  outcome.isNew = true;
  outcome.status = commit::FileStatus::Changed;
  outcome.sha256Before = source.sha256;
  formats::EditRequest request;
  request.signing = signing;
  for (const plan::PlannedEdit& one : edits)
    request.edits.push_back(one.edit);
  llvm::Expected<EditOutcome> edit =
      formats::rewrite(source.file->bytes(), path::filename(target), request);
  if (!edit)
    return within(source.path, edit.takeError());
  outcome.edit = std::move(*edit);
  apply::explain(outcome.edit.changes, edits);
  outcome.edit.changes.insert(outcome.edit.changes.begin(),
                              {Operation::ReplaceFile, source.path, {}, "bundled", {}});
  bundled.content = rewritten(outcome.edit.rewrite, source.file->bytes());
  outcome.sha256After = io::sha256Hex(bundled.content);
  return bundled;
}

llvm::Expected<Bundle> Bundler::run() {
  if (!io::isDirectory(folder))
    return fail(ErrorCode::NotFound, "not repaired: no such directory: " + folder,
                "pass the directory that contains the shared libraries of FFmpeg");
  llvm::Expected<bool> hasRoots = findRoots();
  if (!hasRoots)
    return hasRoots.takeError();
  if (!*hasRoots)
    return std::move(bundle);
  // Where wheel tools put bundled libraries: delocate inside the package, the others beside it.
  const std::string& package = wheel.name().distribution;
  bundle.ffmpeg.folder = platform == Platform::MacOs ? package + "/.dylibs" : package + ".libs";
  bundle.ffmpeg.description = "the wheel's own FFmpeg";
  queue.assign(roots.begin(), roots.end());
  while (!queue.empty()) {
    std::string name = std::move(queue.back());
    queue.pop_back();
    if (sources.count(name))
      continue;
    if (llvm::Error error = collect(name))
      return error;
  }
  for (const auto& [name, source] : sources) {
    bundle.ffmpeg.files.add(source.newName);
    llvm::Expected<BundledFile> file = rewrite(source, bundle.ffmpeg.folder + "/" + source.newName);
    if (!file)
      return file.takeError();
    bundle.files.push_back(std::move(*file));
  }
  return std::move(bundle);
}

} // namespace

llvm::Expected<Bundle> bundleFfmpeg(const std::string& folder, const Contents& wheel,
                                    llvm::ArrayRef<const Image*> images,
                                    const formats::Signing& signing) {
  return Bundler(folder, wheel, images, signing).run();
}

} // namespace tcfix::wheel
