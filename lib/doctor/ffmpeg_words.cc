#include "doctor/words.h"

#include "advice/advice.h"

namespace tcfix::doctor {

namespace {

Words ffmpegWords(const Defect& defect, std::string message, std::string action) {
  Words words{std::move(message), {{"dependency", defect.name}}, std::move(action)};
  if (!defect.isFromText())
    words.evidence.push_back({"installs", defect.items});
  words.evidence.push_back(placesTried(defect));
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  for (const std::string& reason : defect.alternatives)
    words.evidence.push_back({"reason", reason});
  return words;
}

std::string inBrackets(llvm::ArrayRef<int> majors) {
  return majors.empty() ? "" : " (" + majorsText(majors) + ")";
}

} // namespace

Words ffmpegMissing(const Defect& defect, const FindingContext& context) {
  if (!defect.isFromText())
    return ffmpegWords(
        defect,
        "no FFmpeg found that the libraries can use" +
            (defect.majors.empty() ? "" : " (FFmpeg " + majorsText(defect.majors) + ")"),
        ffmpegInstallCommand(context, defect.majors));
  return ffmpegWords(
      defect,
      defect.actual.empty()
          ? context.package + " found no FFmpeg" + inBrackets(defect.majors) +
                (defect.name.empty() ? "; Windows does not report the missing DLL" : "")
          : context.package + " found only a part of " + defect.actual + ": " + defect.name +
                " was not found",
      ffmpegInstallCommand(context, defect.majors));
}

Words ffmpegNotFound(const Defect& defect, const FindingContext& context) {
  return ffmpegWords(defect,
                     defect.isFromText()
                         ? defect.actual + " is installed, but " + context.package +
                               " did not find its libraries" + inBrackets(defect.majors)
                         : defect.actual + ", but the libraries have no search path to it",
                     context.applyCommand);
}

Words ffmpegUnfit(const Defect& defect, const FindingContext&) {
  return ffmpegWords(
      defect, "an FFmpeg of a supported major is installed, but the libraries fail to load with it",
      {});
}

Words ffmpegUnsupportedMajor(const Defect& defect, const FindingContext& context) {
  return ffmpegWords(defect,
                     "this " + context.package + " supports FFmpeg " + majorsText(defect.majors) +
                         "; installed: " + defect.actual,
                     ffmpegInstallCommand(context, defect.majors));
}

Words ffmpegStatic(const Defect& defect, const FindingContext& context) {
  return ffmpegWords(defect,
                     defect.isFromText()
                         ? "the " + defect.actual + " of this machine has no shared libraries"
                         : "no FFmpeg here has shared libraries: " + defect.actual,
                     sharedFfmpegCommand(context, defect.majors));
}

Words twoFfmpegs(const Defect& defect, const FindingContext& context) {
  return {"a program that imports both " + context.package +
              " and av loads two FFmpegs: " + defect.name + " and " + defect.actual,
          {},
          context.applyCommand + " --ffmpeg av"};
}

} // namespace tcfix::doctor
