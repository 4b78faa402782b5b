// Loads libraries in a simulated process and prints the result as JSON, for tests that compare it
// with a real loader.
//
//   resolve_probe [--sysroot DIR] [--windows] [--executable FILE] [--env NAME=VALUE]
//                 [--dll-folder DIR] FILE...
#include "resolve/session.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

using namespace tcfix;
using namespace tcfix::resolve;

namespace {

llvm::StringRef nameOf(Verdict verdict) {
  return verdict == Verdict::Loads ? "loads" : verdict == Verdict::Fails ? "fails" : "unknown";
}

llvm::StringRef nameOf(Binding::State state) {
  constexpr const char* names[] = {"found", "system", "assumed", "missing", "optional", "unknown"};
  return names[static_cast<int>(state)];
}

llvm::json::Value jsonOf(const std::vector<Attempt>& attempts) {
  llvm::json::Array result;
  for (const Attempt& attempt : attempts)
    result.push_back(attempt.place + ": " + attempt.outcome);
  return result;
}

llvm::json::Value jsonOf(const std::string& file, const LoadResult& result) {
  llvm::json::Array problems, bindings;
  for (const LoadProblem& problem : result.problems)
    problems.push_back(llvm::json::Object{{"code", resolve::nameOf(problem.code)},
                                          {"library", problem.library},
                                          {"dependency", problem.dependency},
                                          {"provider", problem.provider},
                                          {"symbols", problem.symbols},
                                          {"message", problem.message},
                                          {"tried", jsonOf(problem.tried)}});
  for (const Binding& binding : result.bindings)
    bindings.push_back(llvm::json::Object{{"library", binding.library},
                                          {"dependency", binding.dependency},
                                          {"state", nameOf(binding.state)},
                                          {"provider", binding.provider},
                                          {"how", binding.how.text()},
                                          {"tried", jsonOf(binding.tried)}});
  return llvm::json::Object{{"file", file},
                            {"verdict", nameOf(result.verdict)},
                            {"problems", std::move(problems)},
                            {"bindings", std::move(bindings)}};
}

} // namespace

int main(int argc, char** argv) {
  io::TargetDiskOptions diskOptions;
  ProcessOptions options;
  std::vector<std::string> files;
  bool areAlone = false; // every file in its own process
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--sysroot")
      diskOptions.sysroot = argv[++i];
    else if (argument == "--windows")
      diskOptions.isWindows = true;
    else if (argument == "--unknown")
      diskOptions.knowsAbsolutePaths = false;
    else if (argument == "--alone")
      areAlone = true;
    else if (argument == "--executable")
      options.executable = argv[++i];
    else if (argument == "--dll-folder")
      options.dllFolders.push_back(argv[++i]);
    else if (argument == "--env") {
      auto [name, value] = llvm::StringRef(argv[++i]).split('=');
      options.environment[name.str()] = value.str();
    } else
      files.push_back(argument.str());
  }
  io::TargetDisk disk(diskOptions);
  LibraryStore store(disk);
  Session session(store, options);
  llvm::json::Array loads;
  for (const std::string& file : files) {
    llvm::json::Value load =
        jsonOf(file, areAlone ? session.clone().load(file) : session.load(file));
    (*load.getAsObject())["loaded"] = session.loaded();
    loads.push_back(std::move(load));
  }
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(loads)));
}
