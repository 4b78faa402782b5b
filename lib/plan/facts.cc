#include "plan/facts.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <map>

namespace tcfix::plan {

namespace {

// torchcodec loads core (called decoder, or nothing at all, in old versions) before custom_ops
// before pybind_ops.
constexpr llvm::StringLiteral kRoles[] = {"", "custom_ops", "pybind_ops"};

} // namespace

void readName(LibraryFacts& library) {
  llvm::StringRef stem = llvm::StringRef(library.name).split('.').first;
  if (!stem.consume_front("libtorchcodec"))
    return;
  llvm::StringRef role = stem.rtrim("0123456789");
  if (stem.drop_front(role.size()).getAsInteger(10, library.major))
    library.major = 0;
  role.consume_front("_");
  const auto* known = std::find(std::begin(kRoles), std::end(kRoles), role);
  library.rank = known == std::end(kRoles) ? 0 : static_cast<int>(known - std::begin(kRoles));
}

std::vector<Group> groupsOf(const PackageFacts& facts) {
  std::map<int, Group, std::greater<>> majors;
  std::vector<Group> others;
  for (const LibraryFacts& library : facts.libraries) {
    Group& group = library.major ? majors[library.major] : others.emplace_back();
    group.major = library.major;
    group.libraries.push_back(&library);
  }
  std::vector<Group> groups;
  for (auto& [major, group] : majors) {
    std::stable_sort(group.libraries.begin(), group.libraries.end(),
                     [](const auto* a, const auto* b) { return a->rank < b->rank; });
    groups.push_back(std::move(group));
  }
  std::move(others.begin(), others.end(), std::back_inserter(groups));
  return groups;
}

std::optional<int> ffmpegMajorOf(const LibraryFacts& library) {
  for (const Dependency& dependency : library.original.dependencies)
    if (std::optional<providers::FfmpegName> name = providers::parseFfmpegName(dependency.name))
      if (std::optional<int> major = providers::ffmpegMajorOf(*name))
        return major;
  return std::nullopt;
}

} // namespace tcfix::plan
