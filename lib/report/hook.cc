#include "report/hook.h"

#include "report/json_parts.h"

namespace tcfix::report {

std::string renderHook(llvm::StringRef verb, llvm::StringRef target, const hook::HookStatus& status,
                       const Paint& paint) {
  if (verb == "remove") {
    std::string out;
    for (const std::string& file : status.files)
      out += "removed  " + printable(file) + "\n";
    return out.empty() ? "there is no hook to remove\n" : out;
  }
  std::string out = printable(target) + ": the hook is " + paint.bold(nameOf(status.state)) +
                    (status.remark.empty() ? "" : ": " + printable(status.remark)) + "\n";
  for (const std::string& file : status.files)
    out += "  " + printable(file) + "\n";
  if (status.state != hook::State::Installed && verb == "status")
    out += "next: tcfix hook install " + printable(target) + "\n";
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
