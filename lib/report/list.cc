#include "report/list.h"

#include "report/json_parts.h"
#include "report/text_parts.h"

namespace tcfix::report {

namespace {

/// The directory of an FFmpeg, as a target path.
std::string placeOf(const providers::FfmpegInstall& install, const io::TargetDisk& disk) {
  return install.searchPath.empty() ? disk.targetPath(install.folder) : install.searchPath;
}

/// The rest of a path below a directory; nothing if the path is not below it.
std::optional<llvm::StringRef> restBelow(llvm::StringRef directory, llvm::StringRef path) {
  if (!path.consume_front(directory) || (!path.empty() && path[0] != '/' && path[0] != '\\'))
    return std::nullopt;
  return path;
}

/// A target path that begins with the environment as given: .venv/lib/python3.12/site-packages.
std::string shownFrom(const env::Target& target, const std::string& targetPath) {
  const env::Environment& environment = target.environment;
  if (auto rest = restBelow(target.disk.targetPath(environment.root), targetPath))
    return printable(environment.path + rest->str());
  return printable(targetPath);
}

std::string hostPathText(const env::Target& target, const std::string& hostPath) {
  return shownFrom(target, target.disk.targetPath(hostPath));
}

/// A line with its subject in the first column.
std::string line(llvm::StringRef subject, const std::string& rest, const Paint& paint) {
  std::string padded = subject.str();
  padded.resize(std::max<size_t>(subject.size(), 18), ' ');
  return "  " + paint.bold(padded) + "  " + rest + "\n";
}

std::string renderPackage(const env::Package& package, const env::Target& target, bool isVerbose,
                          const Paint& paint) {
  std::string out = line(printable(package.name + " " + package.version),
                         hostPathText(target, package.site), paint);
  out += "    " +
         (package.libraries.empty() ? "no libraries" : librariesText(package.libraries.size())) +
         "\n";
  if (isVerbose)
    for (const std::string& library : package.libraries) {
      llvm::StringRef name = library;
      name.consume_front(package.site);
      out += "      " + printable(name.ltrim("/\\")) + "\n";
    }
  if (!package.outward.empty())
    out += "    installed outside this environment, in " + printable(package.outward) + "\n";
  return out;
}

std::string renderFfmpeg(const ListedFfmpeg& listed, const env::Target& target,
                         const Paint& paint) {
  const providers::FfmpegInstall& install = listed.install;
  const std::string place = placeOf(install, target.disk);
  std::string name = install.major ? "FFmpeg " + std::to_string(install.major) : "FFmpeg";
  std::string out = line(name, shownFrom(target, place), paint);
  std::string whose =
      install.description == place ? nameOf(install.source).str() : install.description;
  std::string why = whose + ": ";
  if (!listed.chosenFor.empty())
    why += "chosen for " + librariesText(listed.chosenFor.size()) + ": ";
  return out + "    " + wrapped(printable(why + listed.reason), 6, 4) + "\n";
}

} // namespace

std::string renderListing(const Listing& listing, bool isVerbose, const Paint& paint) {
  const env::Target& target = listing.target;
  const env::Environment& environment = target.environment;
  std::string out = paint.bold(printable(environment.path)) + ": " +
                    env::nameOf(environment.kind).str() + ", " + nameOf(target.platform).str() +
                    (target.arch.empty() ? "" : " " + target.arch) + "\n";
  for (const env::Python& python : environment.pythons)
    out +=
        line("Python " + python.version,
             python.executable.empty() ? "no executable" : hostPathText(target, python.executable),
             paint);
  for (const env::Package& package : target.packages)
    out += renderPackage(package, target, isVerbose, paint);
  for (const std::string& name : target.absent)
    out += line(printable(name), "not installed here", paint);
  if (listing.torch)
    out += line("torch " + listing.torch->version,
                hostPathText(target, listing.torch->libFolder.empty() ? listing.torch->site
                                                                      : listing.torch->libFolder),
                paint);
  else
    out += line("torch", "not installed here", paint);
  for (const ListedFfmpeg& ffmpeg : listing.ffmpegs)
    out += renderFfmpeg(ffmpeg, target, paint);
  if (listing.ffmpegs.empty())
    out += line("FFmpeg",
                target.disk.knowsAbsolutePaths()
                    ? "none found"
                    : "none in this environment; system directories are not here",
                paint);
  return out;
}

std::string jsonForList(const Preamble& preamble, const Listing& listing) {
  const env::Target& target = listing.target;
  return document(preamble, [&](OStream& out) {
    out.attributeObject("target", [&] {
      text(out, "path", target.environment.path);
      text(out, "kind", env::nameOf(target.environment.kind));
      text(out, "format", formatName(formatOf(target.platform)));
      textIfKnown(out, "arch", target.arch);
      out.attribute("sees_absolute_paths", target.disk.knowsAbsolutePaths());
    });
    out.attributeArray("python", [&] {
      for (const env::Python& python : target.environment.pythons)
        out.object([&] {
          textIfKnown(out, "version", python.version);
          textIfKnown(out, "executable", python.executable);
          textIfKnown(out, "base_prefix", python.basePrefix);
        });
    });
    out.attributeArray("sites", [&] {
      for (const env::Site& site : target.environment.sites)
        out.object([&] {
          text(out, "path", site.folder);
          text(out, "kind", nameOf(site.kind));
          textIfKnown(out, "python", site.pythonVersion);
        });
    });
    out.attributeArray("packages", [&] {
      for (const env::Package& package : listing.installed)
        out.object([&] {
          text(out, "name", package.name);
          textIfKnown(out, "version", package.version);
          text(out, "site", package.site);
        });
    });
    out.attributeArray("libraries", [&] {
      for (const env::Package& package : target.packages)
        for (const auto& [list, isGrafted] :
             {std::pair(&package.libraries, false), std::pair(&package.grafted, true)})
          for (const std::string& library : *list)
            out.object([&] {
              text(out, "path", library);
              text(out, "package", package.name);
              out.attribute("grafted", isGrafted);
            });
    });
    out.attributeArray("ffmpeg", [&] {
      for (const ListedFfmpeg& each : listing.ffmpegs)
        out.object([&] {
          out.attribute("major", each.install.major ? llvm::json::Value(each.install.major)
                                                    : llvm::json::Value(nullptr));
          text(out, "path", placeOf(each.install, target.disk));
          text(out, "source", nameOf(each.install.source));
          text(out, "description", each.install.description);
          textIfKnown(out, "arch", each.install.arch);
          texts(out, "chosen_for", each.chosenFor);
          text(out, "reason", each.reason);
        });
    });
    writeTorch(out, listing.torch);
  });
}

} // namespace tcfix::report
