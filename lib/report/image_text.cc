// The contents of a library: the output of inspect and verify.
#include "report/text_parts.h"

#include "image/names.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::report {

namespace {

// A label and its values, one per line, in one column.
void addField(std::string& out, llvm::StringRef label, const std::vector<std::string>& values) {
  std::string head = padded(label);
  if (values.empty())
    out += head + "(none)\n";
  for (const std::string& value : values) {
    out += head + value + "\n";
    head = padded("");
  }
}

std::string searchPathLabel(const Slice& slice) {
  if (!slice.searchPathKind)
    return "search paths";
  return *slice.searchPathKind == SearchPathKind::Rpath ? "rpath" : "runpath";
}

std::string signatureText(const SignatureSummary& signature, const Paint& paint) {
  const size_t column = padded("signature").size();
  std::string text = wrapped(printable(describe(signature)), column, column);
  if (signature.state == SignatureState::Valid)
    return paint.green(text);
  return signature.state == SignatureState::Invalid ? paint.red(text) : text;
}

void addSlice(std::string& out, const Slice& slice, const Paint& paint) {
  if (slice.identity)
    addField(out, "identity", {printable(*slice.identity)});
  addField(out, searchPathLabel(slice), searchPathTexts(slice));
  addField(out, "dependencies", dependencyTexts(slice));
  if (slice.signature)
    addField(out, "signature", {signatureText(*slice.signature, paint)});
  for (const auto& [name, value] : slice.details)
    addField(out, name, {printable(value)});
  if (!slice.imports.empty()) {
    std::vector<std::string> imports;
    for (const ImportedSymbol& symbol : slice.imports)
      imports.push_back(printable(symbol.name) +
                        (symbol.from.empty() ? "" : " from " + printable(symbol.from)));
    addField(out, "imports", imports);
  }
  if (!slice.exports.empty()) {
    std::vector<std::string> exports;
    for (const std::string& name : slice.exports)
      exports.push_back(printable(name));
    addField(out, "exports", exports);
  }
}

} // namespace

std::string renderImage(llvm::StringRef path, const Image& image, const Paint& paint) {
  std::string out = paint.bold(printable(path)) + ": ";
  std::string format = formats::nameOf(image.format).str();
  if (!image.isUniversal) {
    const Slice& slice = image.slices.front();
    out += format + " " + slice.fileType + ", " + slice.arch + "\n";
    addSlice(out, slice, paint);
    return out;
  }
  out += "universal " + format + " with " + countText(image.slices.size(), "slice") + "\n";
  for (const Slice& slice : image.slices) {
    out += paint.bold(slice.arch) + ": " + slice.fileType + "\n";
    addSlice(out, slice, paint);
  }
  return out;
}

std::string renderMissing(llvm::ArrayRef<resolve::MissingSymbols> missing) {
  std::vector<std::string> lines;
  for (const resolve::MissingSymbols& each : missing)
    for (const std::string& symbol : each.symbols)
      lines.push_back(printable(symbol) + " is not in " + printable(each.provider));
  std::string out;
  if (!lines.empty())
    addField(out, "missing", lines);
  return out;
}

std::string renderVerified(const VerifiedFile& file, const Paint& paint) {
  if (file.problem)
    return {}; // the error is on standard error
  std::string out = file.verdict.isValid ? paint.green("ok     ") : paint.red("INVALID");
  out += "  " + paint.bold(printable(file.path)) + "  " +
         paint.dim(llvm::join(file.verdict.summaries, "; ")) + "\n";
  for (const std::string& problem : file.verdict.problems)
    out += "         " + printable(problem) + "\n";
  return out;
}

} // namespace tcfix::report
