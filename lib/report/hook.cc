#include "report/hook.h"

#include "report/json_parts.h"
#include "report/text_parts.h"

namespace tcfix::report {

std::string renderHook(const HookView& view, const hook::HookStatus& status, const Paint& paint) {
  const bool isRemoval = view.verb == "remove";
  std::string state = isRemoval
                          ? status.files.empty() ? "no hook is installed" : "the hook is removed"
                          : "the hook is " + nameOf(status.state).str();
  if (view.isUnchanged || (isRemoval && status.files.empty()))
    state += ", nothing to do";
  if (!status.remark.empty())
    state += ": " + printable(status.remark);
  std::string out = paint.bold(printable(view.target)) + ": " + state + "\n";
  if (view.isVerbose)
    for (const std::string& file : status.files)
      out += "  " + printable(belowSite(file)) + "\n";
  if (status.state != hook::State::Installed && view.verb == "status")
    out += "next: tcfix hook install " + printable(view.target) + "\n";
  return out;
}

std::string jsonForHook(const Preamble& preamble, const hook::HookStatus& status) {
  return document(preamble, [&](OStream& out) {
    text(out, "state", nameOf(status.state));
    text(out, "remark", status.remark);
    texts(out, "files", status.files);
  });
}

std::string jsonForSnippet(const Preamble& preamble, llvm::StringRef snippet) {
  return document(preamble, [&](OStream& out) { text(out, "snippet", snippet); });
}

} // namespace tcfix::report
