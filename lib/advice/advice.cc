#include "advice/advice.h"

#include "image/names.h"
#include "recipe/cuda_name.h"
#include "recipe/cuda_releases.h"
#include "recipe/ffmpeg_packages.h"
#include "recipe/recipe.h"
#include "recipe/system_packages.h"
#include "recipe/torch_extensions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::advice {

namespace {

/// Every release of the package can use FFmpeg 7.
constexpr int kSafestMajor = 7;

enum class Mode {
  Usual,
  Again, ///< even if that version is already installed
  AgainWithDependencies,
};

/// A requirement; double quotes work in every shell.
std::string quotedRequirement(llvm::StringRef requirement) {
  bool isPlain = requirement.find_first_of("<>*,") == llvm::StringRef::npos;
  return isPlain ? requirement.str() : "\"" + requirement.str() + "\"";
}

std::string pipInstall(const Context& context, llvm::ArrayRef<std::string> requirements,
                       Mode mode = Mode::Usual, llvm::StringRef channel = {}) {
  const bool isUv = context.installer == Installer::Uv;
  std::string command = isUv ? "uv pip install" : "pip install";
  if (isUv && !context.environment.empty())
    command += " --python " + quoted(context.environment, context.machine.platform);
  if (mode != Mode::Usual)
    command += isUv ? " --reinstall" : " --force-reinstall";
  if (mode == Mode::Again)
    command += " --no-deps";
  for (const std::string& requirement : requirements)
    command += " " + quotedRequirement(requirement);
  if (!channel.empty())
    command += " --index-url " + recipe::channelIndex(channel);
  return command;
}

/// Windows PowerShell 5.1 has no "&&", and cmd has no ";": two lines work in both.
std::string inOrder(const Context& context, const std::string& first, const std::string& second) {
  return first + (context.machine.platform == Platform::Windows ? "\n" : " && ") + second;
}

std::string thenApply(const Context& context, std::string command) {
  return command.empty() || context.applyCommand.empty()
             ? command
             : inOrder(context, command, context.applyCommand);
}

/// Only a package that tcfix repairs can lose its repair.
std::string thenRepair(const Context& context, std::string command) {
  return context.package == recipe::defaultRecipe().name ? thenApply(context, std::move(command))
                                                         : command;
}

std::vector<int> usableMajors(const Context& context, llvm::ArrayRef<int> majors) {
  if (!majors.empty())
    return majors.vec();
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  std::optional<Version> release = parseVersion(context.release);
  int highest = release ? recipe.highestMajorOf(*release) : 0;
  return {highest ? highest : kSafestMajor, kSafestMajor};
}

int highestOf(llvm::ArrayRef<int> majors) {
  return *std::max_element(majors.begin(), majors.end());
}

/// If only the first two numbers of a version are known, its channel is unknown.
bool hasThreeNumbers(llvm::StringRef version) {
  return version.count('.') >= 2;
}

/// A version without its local part, which no package index has.
std::string publicPart(llvm::StringRef version) {
  return version.split('+').first.str();
}

} // namespace

std::string quoted(llvm::StringRef name, std::optional<Platform> platform) {
  // A line break ends a step; a name that contains one cannot be typed.
  std::string word = name.str();
  std::replace(word.begin(), word.end(), '\n', '?');
  bool isPlain = llvm::all_of(
      word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("/._-+~:@%,\\").contains(c); });
  if (isPlain && !word.empty())
    return word;
  if (platform == Platform::Windows)
    return "\"" + word + "\"";
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string pyavInstallCommand(const Context& context, llvm::ArrayRef<int> majors) {
  const std::string requirement = recipe::pyavRequirement(usableMajors(context, majors));
  return requirement.empty() ? requirement : pipInstall(context, requirement);
}

std::string bundledFfmpegCommand(const Context& context, llvm::ArrayRef<int> majors) {
  const std::string install = pyavInstallCommand(context, majors);
  return install.empty() || context.applyCommand.empty()
             ? std::string()
             : inOrder(context, install, context.applyCommand + " --ffmpeg av");
}

std::string ffmpegInstallCommand(const Context& context, llvm::ArrayRef<int> wanted) {
  const std::vector<int> majors = usableMajors(context, wanted);
  const int highest = highestOf(majors);
  std::string command;
  if (context.installer == Installer::Conda)
    command = "conda install -c conda-forge " + quotedRequirement(recipe::condaRequirement(majors));
  else if (context.installer == Installer::Pixi)
    command = "pixi add " + quotedRequirement(recipe::condaRequirement(majors));
  else if (context.machine.platform == Platform::MacOs)
    command = "brew install " + recipe::homebrewFormula(highest);
  else
    command = pyavInstallCommand(context, majors);
  return thenApply(context, std::move(command));
}

std::string sharedFfmpegCommand(const Context& context, llvm::ArrayRef<int> wanted) {
  const std::string package = recipe::wingetPackage(highestOf(usableMajors(context, wanted)));
  if (context.machine.platform != Platform::Windows || context.installer == Installer::Conda ||
      context.installer == Installer::Pixi || package.empty())
    return ffmpegInstallCommand(context, wanted);
  return thenApply(context, "winget install " + package);
}

namespace {

/// Both, if torch comes from PyTorch's own index and the package from the package index. torch 2.9
/// is the newest whose channels are known for Windows: cu128 for CUDA 12, cu130 for 13.
std::string withCudaOnWindows(const Context& context, const recipe::Recipe& recipe) {
  const int cuda = *context.torch.cudaMajor;
  const recipe::TorchBuild wanted =
      recipe::torchBuildOf(cuda == 12 ? "2.9.1+cu128" : "2.9.1+cu130");
  const std::optional<recipe::Release> release = recipe.releaseFor(wanted, context.machine);
  if (!release || (cuda != 12 && cuda != 13))
    return {};
  return inOrder(context, pipInstall(context, {"torch==2.9.*"}, Mode::Usual, wanted.channel),
                 thenRepair(context, pipInstall(context, release->requirement(context.package))));
}

} // namespace

std::string newestPairCommand(const Context& context) {
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  std::optional<recipe::Release> newest = recipe.releaseFor({}, context.machine);
  if (!newest || !context.canReplace || !context.canReplaceTorch || context.torch.isForeign())
    return {};
  // The package index has only a torch without CUDA for Windows: it must not replace one that may
  // have CUDA.
  const bool isWindows = context.machine.platform == Platform::Windows;
  if (isWindows && context.torch.cudaMajor.value_or(0))
    return withCudaOnWindows(context, recipe);
  if (isWindows && context.torch.version.empty() && !context.torchIsMissing)
    return {};
  // Keep builds without CUDA; the package index has no others for Windows.
  const bool isKept =
      (context.torch.channel == "cpu" && !isWindows) || context.torch.channel == "xpu";
  return thenRepair(
      context,
      pipInstall(context,
                 {recipe.torchRequirement(newest->version), newest->requirement(context.package)},
                 Mode::Usual, isKept ? context.torch.channel : llvm::StringRef()));
}

namespace {

/// `isAgain`: even if that release is already installed.
std::string releaseCommand(const Context& context, bool isAgain) {
  if (!context.canReplace)
    return {};
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  const recipe::TorchBuild& torch = context.torch;
  std::optional<recipe::Release> release = recipe.releaseFor(torch, context.machine);
  if (!release || torch.version.empty())
    return newestPairCommand(context);
  if (context.isFromConda)
    return "conda install -c conda-forge \"" + context.package + "=" + release->version.text() +
           ".*\"";
  std::string channel;
  const bool isOtherCuda =
      release->cudaMajor && torch.cudaMajor && *torch.cudaMajor != release->cudaMajor;
  if (isOtherCuda && !torch.channel.empty()) {
    channel = torch.channel;
  } else if (isOtherCuda) {
    release = recipe.releaseWithoutCuda(torch, context.machine);
    if (!release)
      return {};
  }
  isAgain |= parseVersion(context.release) == release->version;
  return thenRepair(context, pipInstall(context, release->requirement(context.package),
                                        isAgain ? Mode::Again : Mode::Usual, channel));
}

} // namespace

std::string fittingReleaseCommand(const Context& context) {
  return releaseCommand(context, /*isAgain=*/false);
}

std::string sameChannelCommand(const Context& context) {
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  if (context.torch.version.empty()) { // from a text: without CUDA it works with every build
    // The torch that the installed release is for, which must stay.
    const std::optional<Version> known = parseVersion(context.release);
    const recipe::TorchMatch* match = known ? recipe.matchFor(*known) : nullptr;
    const recipe::TorchBuild assumed = match && !match->isOpenEnded
                                           ? recipe::torchBuildOf(match->torch.text())
                                           : recipe::TorchBuild();
    std::optional<recipe::Release> plain = recipe.releaseWithoutCuda(assumed, context.machine);
    return plain && context.canReplace
               ? thenRepair(context,
                            pipInstall(context, plain->requirement(context.package),
                                       known == plain->version ? Mode::Again : Mode::Usual))
               : std::string();
  }
  std::optional<recipe::Release> release = recipe.releaseFor(context.torch, context.machine);
  if (!release || !context.canReplace || context.torch.channel.empty())
    return fittingReleaseCommand(context);
  const std::optional<Version> installed = parseVersion(context.release),
                               torch = parseVersion(context.torch.version);
  const recipe::TorchMatch* match = installed ? recipe.matchFor(*installed) : nullptr;
  if (match && torch && match->fits(*torch))
    release->version = *installed;
  return thenRepair(context, pipInstall(context, release->requirement(context.package), Mode::Again,
                                        context.torch.channel));
}

std::string torchInstallCommand(const Context& context) {
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  std::optional<Version> release = parseVersion(context.release);
  if (std::string wanted = release ? recipe.torchRequirement(*release) : ""; !wanted.empty())
    return pipInstall(context, wanted);
  if (!recipe.torchMatches.empty())
    return newestPairCommand(context);
  // The package's own requirement, which includes torch.
  if (!context.package.empty() && release)
    return pipInstall(context, context.package + "==" + publicPart(context.release));
  return pipInstall(context, {"torch"}); // unbounded: the required version is unknown
}

std::string installCommand(const Context& context, const std::string& package) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  if (package == recipe.name) {
    Context own = context;
    own.package = package;
    own.release.clear();
    return fittingReleaseCommand(own);
  }
  if (package == "av")
    return pyavInstallCommand(context, {});
  // These require one version of torch; with torch in the same command pip chooses the compatible
  // release, instead of another torch.
  if (isBuiltForOneTorch(package) && !context.torch.version.empty())
    return pipInstall(context, {package, "torch==" + publicPart(context.torch.version)});
  return pipInstall(context, package);
}

std::string releaseCommand(const Context& context, const std::string& package,
                           const std::string& release) {
  return pipInstall(context, package + "==" + release);
}

std::string sameBuildCommand(const Context& context, const std::string& package) {
  const recipe::TorchBuild& torch = context.torch;
  if (!isBuiltForOneTorch(package) || torch.channel.empty() || !hasThreeNumbers(torch.version))
    return {};
  return pipInstall(context, {package, "torch==" + publicPart(torch.version)},
                    Mode::AgainWithDependencies, torch.channel);
}

std::string rebuildCommand(const Context& context, llvm::StringRef module) {
  const recipe::TorchExtension* extension = recipe::torchExtensionOf(module);
  if (!extension || context.torch.isForeign())
    return {};
  const std::string install = pipInstall(context, extension->distribution.str(), Mode::Again);
  const std::string index = recipe::extensionIndex(context.torch);
  if (extension->hasIndex)
    return index.empty() ? std::string() : install + " -f " + index;
  // None has wheels for Windows, where a build needs two compilers.
  return context.machine.platform == Platform::Windows
             ? std::string()
             : install + " --no-build-isolation" +
                   (context.installer == Installer::Uv ? " --no-cache" : " --no-cache-dir");
}

bool isBuiltForOneTorch(llvm::StringRef package) {
  return package == "torchvision" || package == "torchaudio" || package == "xformers";
}

std::string distributionOf(llvm::StringRef module) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kOthers[] = {
      {"cv2", ""},
      {"PIL", "Pillow"},
      {"yaml", "PyYAML"},
      {"sklearn", "scikit-learn"},
      {"fitz", "PyMuPDF"},
      {"skimage", "scikit-image"},
      {"Crypto", ""},
      {"llama_cpp", "llama-cpp-python"},
      {"OpenSSL", "pyOpenSSL"},
      {"torio", "torchaudio"},
      {"onnxruntime", ""}};
  for (const auto& [name, distribution] : kOthers)
    if (name == module)
      return distribution.str();
  return module.str();
}

std::string systemPackageCommand(const Context& context, llvm::ArrayRef<std::string> libraries) {
  const bool isMac = context.machine.platform == Platform::MacOs;
  std::string command;
  std::vector<std::string> packages;
  for (llvm::StringRef library : libraries) {
    if (recipe::isWindowsRuntime(library))
      return "winget install " + recipe::systemPackageOf(library);
    const std::string package =
        isMac ? recipe::homebrewFormulaOf(library) : recipe::systemPackageOf(library);
    if (!package.empty() && !llvm::is_contained(packages, package))
      packages.push_back(package);
  }
  if (packages.empty() || context.machine.platform == Platform::Windows)
    return {};
  return isMac ? "brew install " + llvm::join(packages, " ") +
                     " && export DYLD_FALLBACK_LIBRARY_PATH=\"$(brew --prefix)/lib\""
               : "sudo apt install " + llvm::join(packages, " ");
}

namespace {

/// Prepends the directory "lib" of a module to what ld.so searches.
std::string searchFirst(llvm::StringRef module) {
  return "export LD_LIBRARY_PATH=\"$(python -c 'import " + module.str() +
         " as m; print(m.__path__[0])')/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"";
}

} // namespace

std::string openedCudaCommand(const Context& context, llvm::StringRef library) {
  const recipe::CudaWheel wheel = recipe::cudaWheelOf(library, context.torch.cudaMajor.value_or(0));
  if (wheel.module.empty())
    return {};
  return wheel.requirement.empty()
             ? searchFirst(wheel.module)
             : inOrder(context, pipInstall(context, wheel.requirement), searchFirst(wheel.module));
}

std::string cudaReleaseCommand(const Context& context, llvm::StringRef library) {
  const std::string requirement = recipe::cudaRequirement(library, context.torch);
  return requirement.empty() ? std::string() : pipInstall(context, requirement);
}

std::string torchSymbolCommand(const Context& context, llvm::StringRef symbol,
                               llvm::StringRef provider) {
  // MKL has no such functions since 2024.1 (pytorch/pytorch#123097); only conda's torch finds MKL
  // at run time.
  if (symbol.starts_with("iJIT_"))
    return "conda install \"mkl<2024.1\"";
  // Another version of it is found first, such as that of an older toolkit.
  const recipe::CudaWheel wheel = recipe::cudaWheelOf(provider, 0);
  return wheel.module.empty() || context.machine.platform == Platform::Windows
             ? std::string()
             : searchFirst(wheel.module);
}

std::string anyChannelCommand() {
  return "conda config --set channel_priority flexible";
}

std::string channelCommand(const Context& context, const std::string& package,
                           llvm::StringRef version) {
  // With its channel: otherwise another build of the same version would satisfy pip.
  return pipInstall(context, package + "==" + version.str(), Mode::Usual,
                    recipe::torchBuildOf(version).channel);
}

std::string cudaInstallCommand(const Context& context, llvm::StringRef library) {
  const std::optional<int> torchs = context.torch.cudaMajor;
  const int cuda = recipe::cudaMajorOf(library).value_or(0);
  if (cuda && torchs && *torchs != cuda)
    return {};
  // cuDNN's wheel depends on torch's CUDA; torch 2.4 and later require 9.
  const bool isOfTorch =
      cuda != 0 || (torchs.value_or(0) && llvm::StringRef(library).contains(".so.9"));
  const std::string requirement = recipe::cudaWheelOf(library, torchs.value_or(0)).requirement;
  return isOfTorch && !requirement.empty() ? thenRepair(context, pipInstall(context, requirement))
                                           : std::string();
}

std::string libheifCommand(const Context& context) {
  std::string command;
  if (context.installer == Installer::Conda)
    command = "conda install -c conda-forge libheif";
  else if (context.installer == Installer::Pixi)
    command = "pixi add libheif";
  else if (context.machine.platform == Platform::MacOs)
    command = "brew install libheif";
  else if (context.machine.platform == Platform::Linux)
    command = "sudo apt install libheif1";
  return thenApply(context, std::move(command));
}

std::string pluginCommand(const Context& context, const std::string& plugin) {
  const std::optional<Version> release = parseVersion(context.release);
  // Without dependencies: the plugin must not install another torch.
  return release ? pipInstall(context, plugin + "==" + release->text() + ".*", Mode::Again)
                 : std::string();
}

std::string reinstallCommand(const Context& context) {
  if (!context.canReplace)
    return {};
  if (context.package == "torch" && context.release.empty()) // of a text
    return torchReinstallCommand(context, /*withDependencies=*/false);
  if (context.release.empty() && !recipe::recipeFor(context.package).torchMatches.empty())
    return context.torch.version.empty() ? "" : releaseCommand(context, /*isAgain=*/true);
  const std::string version = publicPart(context.release);
  if (context.isFromConda)
    return "conda install --force-reinstall \"" + context.package + "=" + version + "\"";
  return thenRepair(context,
                    pipInstall(context, context.package + (version.empty() ? "" : "==" + version),
                               Mode::Again, recipe::torchBuildOf(context.release).channel));
}

std::string torchReinstallCommand(const Context& context, bool withDependencies) {
  // The package index only has torch without CUDA for Windows.
  const recipe::TorchBuild& torch = context.torch;
  if (!context.canReplaceTorch || torch.isForeign() || !hasThreeNumbers(torch.version) ||
      (context.machine.platform == Platform::Windows && !torch.cudaMajor))
    return {};
  return pipInstall(context, "torch==" + publicPart(torch.version),
                    withDependencies ? Mode::AgainWithDependencies : Mode::Again,
                    llvm::StringRef(torch.version).contains('+') ? torch.channel
                                                                 : llvm::StringRef());
}

} // namespace tcfix::advice
