#include "command_line.h"

#include "base/parallel.h"

namespace tcfix::cli {

namespace {

report::VerifiedFile verify(const std::string& path) {
  report::VerifiedFile result;
  result.path = path;
  auto verdict =
      withFile(path, [](const io::InputFile& file) { return formats::verify(file.bytes()); });
  if (verdict)
    result.verdict = std::move(*verdict);
  else
    result.problem = toProblem(verdict.takeError(), path);
  return result;
}

int runVerify(Invocation& invocation) {
  std::vector<report::VerifiedFile> files(invocation.operands().size());
  parallelFor(files.size(), hardwareThreads(),
              [&](size_t i) { files[i] = verify(invocation.operands()[i]); });

  bool isAnyInvalid = false;
  std::string out;
  for (const report::VerifiedFile& file : files) {
    if (file.problem)
      invocation.addError(*file.problem);
    isAnyInvalid |= !file.verdict.isValid;
    out += report::renderVerified(file, invocation.paint());
  }
  return invocation.finish(
      isAnyInvalid ? kProblemFound : kDone, out,
      [&](const report::Preamble& preamble) { return report::jsonForVerify(preamble, files); });
}

} // namespace

Command verifyCommand() {
  return {"verify",
          "check signatures of Mach-O files page by page",
          "Checks every page and every part of the signatures of Mach-O files, and finds\n"
          "load commands that dyld rejects. Exit code 1 if a signature is invalid, or\n"
          "missing where Apple silicon requires one. Certificates are not checked.\n",
          "FILE...",
          R"(  tcfix verify .venv/lib/python3.12/site-packages/torchcodec/*.dylib
  tcfix verify --json libtorch_cpu.dylib
)",
          {},
          runVerify};
}

} // namespace tcfix::cli
