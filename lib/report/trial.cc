#include "report/trial.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::report {

namespace {

void writeGroup(OStream& out, const trial::GroupTrial& group) {
  text(out, "package", group.package);
  out.attribute("ffmpeg", group.major ? llvm::json::Value(group.major) : nullptr);
  out.attribute("loads", group.loads());
  out.attribute("simulated", verdictValue(group.expected.loads));
  out.attribute("agrees", group.agrees());
  out.attributeArray("libraries", [&] {
    for (const trial::LibraryTrial& library : group.libraries)
      out.object([&] {
        text(out, "path", library.path);
        out.attribute("loads", library.loads);
        textIfKnown(out, "error", library.message);
      });
  });
}

} // namespace

std::string trialText(const trial::Trial& trial, llvm::ArrayRef<int> required) {
  if (!trial.isOk)
    return trial.reason(required);
  return (trial.ffmpegMajor ? "with FFmpeg " + std::to_string(*trial.ffmpegMajor) + " " : "") +
         llvm::formatv("({0:F1} s)", trial.seconds).str();
}

void writeTrial(OStream& out, const std::optional<trial::Trial>& trial) {
  if (!trial)
    return out.attribute("run", nullptr);
  out.attributeObject("run", [&] {
    text(out, "python", trial->python);
    out.attribute("ok", trial->isOk);
    out.attribute("ffmpeg_major",
                  trial->ffmpegMajor ? llvm::json::Value(*trial->ffmpegMajor) : nullptr);
    out.attribute("seconds", trial->seconds);
    textIfKnown(out, "smoke_test", trial->smokeTest);
    textIfKnown(out, "error", trial->failure);
    out.attributeArray("groups", [&] {
      for (const trial::GroupTrial& group : trial->groups)
        out.object([&] { writeGroup(out, group); });
    });
    out.attribute("agrees", trial->agrees());
  });
}

} // namespace tcfix::report
