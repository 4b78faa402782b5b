#include "wheel/portable.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::wheel {

std::vector<plan::PlannedEdit> portableEdits(const Image& image, const std::string& member,
                                             const plan::UnknownDiskRequest& request) {
  survey::PackageFacts facts;
  facts.package.recipe = recipe::defaultRecipe();
  facts.platform = platformOf(image.format);
  facts.standingPlace =
      providers::standingPlace(facts.platform, image.isUniversal ? "" : image.slices.front().arch);
  // An edit applies to all slices, even if only one of them has the dependency.
  Slice whole = image.slices.front();
  for (const Slice& slice : llvm::drop_begin(image.slices))
    for (const Dependency& dependency : slice.dependencies)
      if (llvm::none_of(whole.dependencies,
                        [&](const Dependency& one) { return one.name == dependency.name; }))
        whole.dependencies.push_back(dependency);
  const survey::LibraryFacts library = survey::describeLibrary(member, whole, facts.package.recipe);
  plan::Draft draft(facts, library);
  plan::planForUnknownDisk(draft, facts, request);
  return draft.edits();
}

} // namespace tcfix::wheel
