#include "command_line.h"

#include "base/parallel.h"
#include "resolve/missing_symbols.h"

namespace tcfix::cli {

namespace {

report::InspectedFile inspect(const std::string& path, const formats::InspectOptions& options,
                              const std::optional<resolve::TreeOptions>& tree) {
  report::InspectedFile result;
  result.path = path;
  auto image = withFile(path, [&](const io::InputFile& file) {
    llvm::Expected<Image> read = formats::inspect(file.bytes(), options);
    if (read && options.withSymbols)
      result.missing = resolve::findMissingSymbols(file, *read);
    if (read && tree)
      result.tree = resolve::loadAlone(file.path(), *read, *tree);
    return read;
  });
  if (image)
    result.image = std::move(*image);
  else
    result.problem = toProblem(image.takeError(), path);
  return result;
}

int runInspect(Invocation& invocation) {
  formats::InspectOptions inspectOptions;
  inspectOptions.withSymbols = invocation.isOn("symbols");
  std::optional<resolve::TreeOptions> tree;
  if (invocation.isOn("tree"))
    tree = {invocation.value("sysroot"), invocation.value("arch")};
  else if (invocation.has("sysroot") || invocation.has("arch"))
    return invocation.usageError("--sysroot and --arch require --tree");
  std::vector<report::InspectedFile> files(invocation.operands().size());
  parallelFor(files.size(), hardwareThreads(), [&](size_t i) {
    files[i] = inspect(invocation.operands()[i], inspectOptions, tree);
  });

  std::string out;
  for (const report::InspectedFile& file : files) {
    if (file.problem)
      invocation.addError(*file.problem);
    else if (!invocation.wantsJson())
      out += report::renderImage(file.path, *file.image, invocation.paint()) +
             report::renderMissing(file.missing) +
             (file.tree ? report::renderTree(*file.tree, invocation.paint()) : std::string());
  }
  return invocation.finish(kDone, out, [&](const report::Preamble& preamble) {
    return report::jsonForInspect(preamble, files, inspectOptions.withSymbols);
  });
}

} // namespace

Command inspectCommand() {
  static constexpr Option kOptions[] = {
      {"symbols", "also list imported and exported symbols"},
      {"tree", "also print the dependency tree, as the loader would resolve it"},
      {"sysroot", "for --tree: the target's root directory", "DIR"},
      {"arch", "for --tree: the architecture of the process", "ARCH"},
  };
  return {"inspect",
          "print a library's dependencies, search paths and signature",
          "Prints a library's dependencies, search paths, identity, architecture, minimum\n"
          "system and signature, in the same form for all formats.\n",
          "FILE...",
          R"(  tcfix inspect .venv/lib/python3.12/site-packages/torchcodec/*.dylib
  tcfix inspect --symbols libtorchcodec_core7.so
  tcfix inspect --tree libtorchcodec_core7.so
  tcfix inspect --json libtorch.dylib | jq '.files[0].rpaths'
)",
          {{"", kOptions}},
          runInspect};
}

} // namespace tcfix::cli
