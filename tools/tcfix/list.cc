#include "target.h"

#include "plan/plan.h"
#include "report/list.h"

namespace tcfix::cli {

namespace {

llvm::Expected<report::Listing> listAll(const std::string& path,
                                        const survey::SurveyOptions& options) {
  llvm::Expected<env::Target> target = survey::find(path, options);
  if (!target)
    return target.takeError();
  report::Listing listing{std::move(*target), {}, {}, {}};
  resolve::LibraryStore store(listing.target.disk);
  std::vector<env::Package> packages = listing.target.packages;
  if (packages.empty()) // list torch and FFmpeg anyway
    packages.emplace_back().site = listing.target.environment.sites.empty()
                                       ? listing.target.environment.root
                                       : listing.target.environment.sites.front().folder;
  for (const env::Package& package : packages) {
    survey::PackageFacts facts = survey::gatherFacts(listing.target, package, store, options);
    plan::PackagePlan plan = plan::planPackage(facts, {}, survey::Simulation(facts, store));
    if (!listing.torch)
      listing.torch = facts.torch;
    if (!listing.ffmpegs.empty())
      continue; // the same for every package
    for (size_t i = 0; i < facts.ffmpegs.size(); ++i)
      listing.ffmpegs.push_back(
          {facts.ffmpegs[i], plan.ffmpegs[i].chosenFor, plan.ffmpegs[i].reason});
  }
  listing.installed = env::listPackages(listing.target.environment, listing.target.disk);
  return listing;
}

int runList(Invocation& invocation) {
  llvm::Expected<std::vector<std::string>> targets = targetsOf(invocation);
  std::optional<report::Listing> listing;
  if (!targets) {
    invocation.addError(toProblem(targets.takeError(), {}));
  } else {
    survey::SurveyOptions options = surveyFor(invocation);
    options.ffmpeg = invocation.value("ffmpeg");
    llvm::Expected<report::Listing> found = listAll(targets->front(), options);
    if (found)
      listing.emplace(std::move(*found));
    else
      invocation.addError(toProblem(found.takeError(), targets->front()));
  }
  std::string out;
  if (listing) {
    for (const env::Package& package : listing->target.packages)
      for (const Problem& problem : package.problems)
        invocation.addWarning(problem);
    out = report::renderListing(*listing, invocation.isVerbose(), invocation.paint());
  }
  return invocation.finish(kDone, out, [&](const report::Preamble& preamble) {
    return listing ? report::jsonForList(preamble, *listing) : report::jsonForError(preamble);
  });
}

} // namespace

Command listCommand() {
  static constexpr Option kOptions[] = {
      {"ffmpeg", "also look for FFmpeg in this directory", "DIR"},
  };
  return {"list",
          "list an environment's Python, libraries, torch and FFmpegs",
          "Lists what an environment contains and uses: Python, torchcodec's libraries,\n"
          "torch, and each FFmpeg with the reason why it is used or not.\n",
          "[TARGET]",
          R"(  tcfix list
  tcfix list .venv
  tcfix list --json ~/miniconda3/envs/video | jq '.ffmpeg'
  tcfix list --sysroot /mnt/mac /mnt/mac/Users/me/venv
)",
          {{"", kOptions}, targetOptions()},
          runList};
}

} // namespace tcfix::cli
