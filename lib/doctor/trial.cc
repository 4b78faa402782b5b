// The result of the environment's own Python, compared with the simulation.
#include "doctor/rules.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::doctor {

void findTrialDefects(const ExaminedPackage& package, Defects& defects) {
  if (!package.trial)
    return;
  const trial::Trial& trial = *package.trial;
  for (const trial::GroupTrial& group : trial.groups) {
    if (group.agrees())
      continue;
    Defect defect{Defect::Kind::SimulationDisagrees};
    defect.subject = group.name();
    defect.provider = trial.python;
    constexpr llvm::StringLiteral kUnknown = "for an unknown reason";
    if (group.expected.loads == resolve::Verdict::Fails)
      defect.sentence = group.expected.cause.empty() ? kUnknown.str() : group.expected.cause;
    if (!group.loads())
      defect.actual = group.cause().empty() ? kUnknown.str() : group.cause();
    for (const trial::LibraryTrial& library : llvm::reverse(group.libraries))
      if (library.loads == group.loads())
        defect.path = library.path;
    defects.push_back(std::move(defect));
  }
  if (!trial.failure.empty() && trial.librariesLoad()) {
    Defect defect{Defect::Kind::ImportFails, {}, trial.smokeTest, trial.failure, trial.python};
    defects.push_back(std::move(defect));
  }
  if (trial.isOk) {
    Defect defect{Defect::Kind::LoadsForReal};
    defect.provider = trial.python;
    defect.name = llvm::formatv("{0:F1}", trial.seconds);
    if (trial.ffmpegMajor)
      defect.actual = std::to_string(*trial.ffmpegMajor);
    defects.push_back(std::move(defect));
  }
}

} // namespace tcfix::doctor
