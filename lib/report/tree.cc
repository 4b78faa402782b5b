#include "report/tree.h"

#include "base/enum_name.h"
#include "report/json_parts.h"
#include "report/text_parts.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tcfix::report {

using resolve::Binding;
using BindingState = resolve::Binding::State;

namespace {

class TreeText {
public:
  TreeText(const resolve::Tree& tree, const Paint& paint) : tree(tree), paint(paint) {}

  std::string run() {
    const std::string head = padded("loads");
    switch (tree.result.verdict) {
    case resolve::Verdict::Loads:
      out = head + paint.green("yes") + "\n";
      break;
    case resolve::Verdict::Unknown:
      out = head + "unknown: not all directories of the target are here\n";
      break;
    case resolve::Verdict::Fails:
      out = head + paint.red("no") + ": " + problemsText(head.size()) + "\n";
    }
    out += "  tree\n";
    addAll();
    return std::move(out);
  }

private:
  /// Missing dependencies are only counted: the tree shows each with the directories searched.
  std::string problemsText(size_t indent) const {
    size_t missing = 0;
    std::vector<std::string> lines;
    for (const resolve::LoadProblem& problem : tree.result.problems)
      if (problem.code == resolve::LoadProblem::Code::MissingDependency)
        ++missing;
      else
        lines.push_back(wrapped(printable(problem.message), indent, indent));
    if (missing == 1)
      lines.insert(lines.begin(), "1 dependency not found");
    else if (missing != 0)
      lines.insert(lines.begin(), std::to_string(missing) + " dependencies not found");
    return llvm::join(lines, "\n" + std::string(indent, ' '));
  }

  /// Each library's own dependencies are shown once. Without recursion: a chain may be as long as
  /// there are libraries.
  void addAll() {
    std::map<llvm::StringRef, std::vector<const Binding*>> bindings;
    for (const Binding& binding : tree.result.bindings)
      bindings[binding.library].push_back(&binding);
    std::vector<std::vector<const Binding*>> waiting; // those of each level, the next one last
    auto descend = [&](llvm::StringRef library) {
      std::vector<const Binding*> below = std::exchange(bindings[library], {});
      waiting.push_back({below.rbegin(), below.rend()});
    };
    for (descend(tree.root); !waiting.empty();) {
      if (waiting.back().empty()) {
        waiting.pop_back();
        continue;
      }
      const Binding& binding = *waiting.back().back();
      waiting.back().pop_back();
      add(binding, waiting.size() + 1);
      if (binding.state == BindingState::Found)
        descend(binding.provider);
    }
  }

  void add(const Binding& binding, size_t depth) {
    constexpr size_t kDeepest = 30; // deeper levels are not indented further
    const std::string indent(std::min(depth, kDeepest) * 2, ' ');
    out += indent + printable(binding.dependency) + "  " + describe(binding) + "\n";
    if (binding.state == BindingState::Missing || binding.state == BindingState::Unknown)
      for (const resolve::Attempt& attempt : binding.tried)
        out += indent + "    " +
               paint.dim(printable(attempt.place) + ": " + printable(attempt.outcome)) + "\n";
  }

  std::string describe(const Binding& binding) const {
    std::string how = binding.how.text();
    if (!how.empty())
      how = " (" + printable(how) + ")";
    if (binding.state == BindingState::Found)
      return paint.green("=>") + " " + printable(binding.provider) + paint.dim(how);
    if (binding.state == BindingState::Missing)
      return paint.red("not found") + paint.dim(binding.tried.empty() ? " (no search path)" : how);
    return nameOf(binding.state).str() + paint.dim(how);
  }

  const resolve::Tree& tree;
  const Paint& paint;
  std::string out;
};

void writeTried(llvm::json::OStream& out, llvm::ArrayRef<resolve::Attempt> tried) {
  out.attributeArray("tried", [&] {
    for (const resolve::Attempt& attempt : tried)
      out.object([&] {
        text(out, "place", attempt.place);
        text(out, "outcome", attempt.outcome);
      });
  });
}

} // namespace

llvm::StringRef nameOf(BindingState state) {
  return enumName<BindingState::Unknown>(
      state, {"found", "system", "assumed", "missing", "optional", "unknown"});
}

std::string renderTree(const resolve::Tree& tree, const Paint& paint) {
  return TreeText(tree, paint).run();
}

void writeTree(llvm::json::OStream& out, const resolve::Tree& tree) {
  out.attributeObject("tree", [&] {
    out.attribute("loads", verdictValue(tree.result.verdict));
    out.attributeArray("bindings", [&] {
      for (const Binding& binding : tree.result.bindings)
        out.object([&] {
          text(out, "library", binding.library);
          text(out, "dependency", binding.dependency);
          text(out, "state", nameOf(binding.state));
          textIfKnown(out, "provider", binding.provider);
          textIfKnown(out, "how", binding.how.text());
          writeTried(out, binding.tried);
        });
    });
    out.attributeArray("problems", [&] {
      for (const resolve::LoadProblem& problem : tree.result.problems)
        out.object([&] {
          text(out, "code", resolve::nameOf(problem.code));
          text(out, "message", problem.message);
          text(out, "library", problem.library);
          textIfKnown(out, "dependency", problem.dependency);
          textIfKnown(out, "provider", problem.provider);
          texts(out, "symbols", problem.symbols);
          writeTried(out, problem.tried);
        });
    });
  });
}

} // namespace tcfix::report
