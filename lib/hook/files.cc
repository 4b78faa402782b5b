#include "hook/files.h"

#include "env/record.h"
#include "hook_sources.h"
#include "io/digest.h"
#include "io/file.h"
#include "recipe/recipe.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace tcfix::hook {

namespace json = llvm::json;

namespace {

constexpr llvm::StringLiteral kSettings = "tcfix_hook/settings.json";
constexpr llvm::StringLiteral kFinder = "tcfix_hook/finder.py";

std::string packagesLine(llvm::ArrayRef<std::string> packages) {
  std::string line = "PACKAGES = (";
  if (packages.empty())
    line += "\"" + recipe::defaultRecipe().name + "\", ";
  for (const std::string& package : packages)
    line += "\"" + package + "\", ";
  return line.substr(0, line.size() - 1) + ")";
}

std::string finderText(const HookOptions& options) {
  std::string text = sources::tcfix_hook_finder_py;
  const std::string present = packagesLine({});
  return text.replace(text.find(present), present.size(), packagesLine(options.packages));
}

// Python executes lines of a .pth file that start with "import". Importing the finder would take
// longer than running it: 2 ms without bytecode.
std::string pthText(llvm::StringRef finder) {
  std::string line = "import sys; exec(\"";
  for (char c : (finder.drop_front(finder.find("import sys\n")) + "install()\n").str())
    if (c == '\n')
      line += "\\n";
    else
      line += llvm::StringRef("\"\\").contains(c) ? std::string{'\\', c} : std::string{c};
  return line + "\", {})\n";
}

std::string settingsText(const HookOptions& options) {
  json::Array arguments;
  for (const std::string& argument : options.arguments)
    arguments.push_back(json::fixUTF8(argument));
  std::string text;
  llvm::raw_string_ostream out(text);
  out << json::Value(json::Object{{"tcfix", json::fixUTF8(options.program)},
                                  {"arguments", std::move(arguments)}})
      << '\n';
  return out.str();
}

std::string readWhole(const std::string& path) {
  std::optional<io::InputFile> file =
      llvm::expectedToOptional(io::InputFile::open(path, io::kLargestText));
  return file ? textOf(file->bytes()).str() : std::string();
}

} // namespace

std::string distInfoName() {
  return "tcfix_hook-" TCFIX_VERSION ".dist-info";
}

std::string recordName() {
  return distInfoName() + "/RECORD";
}

HookFiles hookFiles(const HookOptions& options) {
  HookFiles files;
  files[kFinder.str()] = finderText(options);
  files["tcfix_hook/__init__.py"] = sources::tcfix_hook___init___py;
  files["tcfix_hook/repair.py"] = sources::tcfix_hook_repair_py;
  files[kSettings.str()] = settingsText(options);
  files["tcfix_hook.pth"] = pthText(files[kFinder.str()]);
  files["tcfix_hook.start"] = sources::hook_tcfix_hook_start;
  files[distInfoName() + "/METADATA"] =
      "Metadata-Version: 2.1\nName: tcfix_hook\nVersion: " TCFIX_VERSION
      "\nSummary: Repairs native libraries again when an installer has replaced them\n";
  files[distInfoName() + "/INSTALLER"] = "tcfix\n";
  files[distInfoName() + "/WHEEL"] = "Wheel-Version: 1.0\nGenerator: tcfix " TCFIX_VERSION
                                     "\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
  std::string record;
  for (const auto& [path, content] : files)
    record += path + "," + env::recordDigest(io::sha256Hex(bytesOf(content))) + "," +
              std::to_string(content.size()) + "\n";
  for (llvm::StringRef name : kStampFiles)
    record += (name + ",,\n").str();
  files[recordName()] = record + recordName() + ",,\n";
  return files;
}

std::vector<std::string> recordedFiles(const std::string& owner) {
  std::vector<std::string> files;
  llvm::Expected<env::Record> record = env::Record::parse(readWhole(owner + "/RECORD"));
  if (!record) {
    llvm::consumeError(record.takeError());
    return files;
  }
  for (const env::RecordRow& row : record->rows())
    files.push_back(row.path);
  return files;
}

std::optional<HookOptions> readOptions(const std::string& site) {
  llvm::Expected<json::Value> settings = json::parse(readWhole(site + "/" + kSettings.str()));
  if (!settings) {
    llvm::consumeError(settings.takeError());
    return std::nullopt;
  }
  const json::Object* object = settings->getAsObject();
  std::optional<llvm::StringRef> program = object ? object->getString("tcfix") : std::nullopt;
  const json::Array* arguments = object ? object->getArray("arguments") : nullptr;
  if (!program || !arguments)
    return std::nullopt;
  HookOptions options;
  options.program = program->str();
  for (const json::Value& argument : *arguments)
    if (std::optional<llvm::StringRef> text = argument.getAsString())
      options.arguments.push_back(text->str());
  std::string text = readWhole(site + "/" + kFinder.str());
  auto [before, rest] = llvm::StringRef(text).split("PACKAGES = (");
  for (llvm::StringRef word : llvm::split(rest.split(')').first, ','))
    if (word = word.trim().trim('"'); !word.empty())
      options.packages.push_back(word.str());
  if (packagesLine(options.packages) == packagesLine({}))
    options.packages.clear();
  return options;
}

} // namespace tcfix::hook
