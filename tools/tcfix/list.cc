#include "command_line.h"

#include "report/list.h"

namespace tcfix::cli {

namespace {

report::ListedFfmpeg notYetChosen(env::FfmpegInstall install) {
  std::string reason = !install.defect.empty() ? install.defect
                       : install.isOnTrust     ? "cannot be seen from here; taken on trust"
                                               : "complete; not chosen for any library yet";
  return {std::move(install), {}, std::move(reason)};
}

llvm::Expected<report::Listing> listAll(const env::TargetQuery& query, const std::string& ffmpeg) {
  llvm::Expected<env::Target> target = env::findTarget(query);
  if (!target)
    return target.takeError();
  const env::Environment& environment = target->environment;
  env::FfmpegQuery places{target->platform, target->arch, ffmpeg, {}};
  if (query.sysroot.empty())
    places.variables = env::ffmpegVariables();
  std::vector<report::ListedFfmpeg> ffmpegs;
  for (env::FfmpegInstall& install : env::findFfmpegs(environment, target->disk, places))
    ffmpegs.push_back(notYetChosen(std::move(install)));
  std::string site = !target->packages.empty()    ? target->packages.front().site
                     : !environment.sites.empty() ? environment.sites.front().folder
                                                  : std::string();
  std::optional<env::TorchInstall> torch = env::findTorch(environment, target->disk, site);
  std::vector<env::Package> installed = env::listPackages(environment, target->disk);
  return report::Listing{std::move(*target), std::move(installed), std::move(torch),
                         std::move(ffmpegs)};
}

} // namespace

int runList(int argc, const char* const* argv) {
  CommandText text{"list", "[TARGET]",
                   R"(  tcfix list
  tcfix list .venv
  tcfix list --json ~/miniconda3/envs/video | jq '.ffmpeg'
  tcfix list --sysroot /mnt/mac /mnt/mac/Users/me/venv
)"};
  cxxopts::Options options("tcfix list",
                           "Shows what is in an environment and around it: Python, torchcodec's "
                           "libraries,\ntorch, and each FFmpeg with what makes it usable or not. "
                           "Without TARGET: the active\nenvironment, .venv or venv.\n");
  auto add = options.add_options();
  add("package", "list this package's libraries instead of torchcodec's; repeatable",
      cxxopts::value<std::string>(), "NAME");
  add("ffmpeg", "also look for FFmpeg in this folder", cxxopts::value<std::string>(), "DIR");
  add("sysroot", "the target's root is this folder", cxxopts::value<std::string>(), "DIR");
  add("arch", "the architecture that counts, such as arm64", cxxopts::value<std::string>(), "ARCH");
  int exitCode;
  std::optional<Invocation> invocation = Invocation::parse(text, options, argc, argv, exitCode);
  if (!invocation)
    return exitCode;
  if (invocation->operands().size() > 1)
    return invocation->usageError("name one target at a time");

  env::TargetQuery query;
  for (const Argument& argument : invocation->arguments())
    if (argument.key == "package")
      query.packages.push_back({argument.value, {}});
  if (query.packages.empty())
    query.packages.push_back(env::torchcodecQuery());
  query.sysroot = invocation->value("sysroot");
  query.arch = invocation->value("arch");
  llvm::Expected<std::string> target =
      invocation->operands().empty() ? env::defaultTarget() : invocation->operands().front();
  std::optional<report::Listing> listing;
  if (!target) {
    invocation->addError(toProblem(target.takeError(), {}));
  } else {
    query.path = *target;
    llvm::Expected<report::Listing> found = listAll(query, invocation->value("ffmpeg"));
    if (found)
      listing.emplace(std::move(*found));
    else
      invocation->addError(toProblem(found.takeError(), query.path));
  }
  std::string out;
  if (listing) {
    for (const env::Package& package : listing->target.packages)
      for (const Problem& problem : package.problems)
        invocation->addWarning(problem);
    out = report::renderListing(*listing, invocation->paint());
  }
  return invocation->finish(false, out, [&](const report::Preamble& preamble) {
    return listing ? report::jsonForList(preamble, *listing) : report::jsonForError(preamble);
  });
}

} // namespace tcfix::cli
