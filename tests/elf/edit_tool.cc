// Test-only: tcfix-elf-edit FILE OP... applies edits in place. Stands in for `tcfix edit`.
#include "base/error.h"
#include "elf/elf.h"
#include "io/file.h"
#include "io/staged.h"

#include <llvm/Support/raw_ostream.h>

using namespace tcfix;

int main(int argc, char** argv) {
  auto give = [&](llvm::Error error) {
    Problem problem = toProblem(std::move(error), argv[1]);
    llvm::errs() << problem.path << ": " << problem.message << " (" << problem.hint << ")\n";
    return 3;
  };
  std::vector<Edit> edits;
  auto split = [](llvm::StringRef text) { return text.split('='); };
  for (int i = 2; i + 1 < argc; i += 2) {
    std::string op = argv[i], value = argv[i + 1];
    auto [from, to] = split(value);
    if (op == "--add-rpath") edits.push_back(AddSearchPath{value});
    else if (op == "--prepend-rpath") edits.push_back(AddSearchPath{value, true});
    else if (op == "--remove-rpath") edits.push_back(RemoveSearchPath{value});
    else if (op == "--replace-rpath") edits.push_back(ReplaceSearchPath{from.str(), to.str()});
    else if (op == "--rename-dependency") edits.push_back(RenameDependency{from.str(), to.str()});
    else if (op == "--add-dependency") edits.push_back(AddDependency{value});
    else if (op == "--remove-dependency") edits.push_back(RemoveDependency{value});
    else if (op == "--set-id") edits.push_back(SetIdentity{value});
    else if (op == "--rpath-kind") edits.push_back(SetSearchPathKind{value == "rpath" ? SearchPathKind::Rpath : SearchPathKind::Runpath});
    else return 2;
  }
  auto file = io::InputFile::open(argv[1]);
  if (!file) return give(file.takeError());
  auto outcome = elf::rewrite(file->bytes(), edits);
  if (!outcome) return give(outcome.takeError());
  for (auto& c : outcome->changes) llvm::outs() << nameOf(c.operation) << " " << c.value << " was " << c.old << " (" << c.reason << ")\n";
  for (auto& w : outcome->warnings) llvm::outs() << "warning: " << w << "\n";
  llvm::outs() << "bytes " << bytesChanged(outcome->rewrite) << " growth " << (outcome->rewrite.newSize - outcome->rewrite.oldSize) << "\n";
  if (outcome->rewrite.isIdentity()) return 0;
  auto staged = io::StagedFile::stage(*file, outcome->rewrite);
  if (!staged) return give(staged.takeError());
  if (auto e = staged->commit()) return give(std::move(e));
  return 0;
}
