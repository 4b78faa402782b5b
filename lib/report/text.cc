#include "report/text.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::report {

namespace {

constexpr size_t kLabelWidth = 14;

std::string padded(llvm::StringRef label) {
  std::string text = "  " + label.str();
  text.resize(std::max(text.size(), kLabelWidth + 2), ' ');
  return text;
}

// A label and its values, one a line, all in one column.
void addField(std::string& out, llvm::StringRef label, const std::vector<std::string>& values) {
  std::string head = padded(label);
  if (values.empty())
    out += head + "(none)\n";
  for (const std::string& value : values) {
    out += head + value + "\n";
    head = padded("");
  }
}

std::vector<std::string> dependencyTexts(const Slice& slice) {
  std::vector<std::string> texts;
  for (const Dependency& dependency : slice.dependencies) {
    std::string text = printable(dependency.name);
    if (dependency.kind != DependencyKind::Normal)
      text += " (" + nameOf(dependency.kind).str() + ")";
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> searchPathTexts(const Slice& slice) {
  std::vector<std::string> texts;
  for (const std::string& path : slice.searchPaths)
    texts.push_back(printable(path));
  return texts;
}

std::string searchPathLabel(const Slice& slice) {
  if (!slice.searchPathKind)
    return "search paths";
  return *slice.searchPathKind == SearchPathKind::Rpath ? "rpath" : "runpath";
}

std::string signatureText(const SignatureSummary& signature, const Paint& paint) {
  std::string text = printable(describe(signature));
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

// What the formats call the same things; a diff speaks their language.
struct Vocabulary {
  const char* identity;
  const char* dependency;
  const char* searchPath;
};

Vocabulary vocabularyOf(Format format, const Slice& slice) {
  switch (format) {
  case Format::MachO:
    return {"LC_ID_DYLIB", "LC_LOAD_DYLIB", "LC_RPATH"};
  case Format::Elf:
    return {"DT_SONAME", "DT_NEEDED",
            slice.searchPathKind == SearchPathKind::Rpath ? "DT_RPATH" : "DT_RUNPATH"};
  case Format::Pe:
    return {"export name", "import", "search list"};
  }
  return {};
}

// What a library says of itself, line by line.
std::vector<std::string> viewOf(const Image& image) {
  std::vector<std::string> lines;
  for (const Slice& slice : image.slices) {
    std::string prefix = image.isUniversal ? slice.arch + " " : "";
    Vocabulary words = vocabularyOf(image.format, slice);
    auto add = [&](const char* word, const std::string& text) {
      lines.push_back(prefix + padded(word).substr(2) + "  " + text);
    };
    if (slice.identity)
      add(words.identity, printable(*slice.identity));
    for (const std::string& text : dependencyTexts(slice))
      add(words.dependency, text);
    for (const std::string& text : searchPathTexts(slice))
      add(words.searchPath, text);
    if (slice.signature)
      add("signature", printable(describe(*slice.signature)));
  }
  return lines;
}

// The longest common subsequence, by the textbook table: the views have some dozen lines.
std::vector<std::string> unifiedLines(const std::vector<std::string>& before,
                                      const std::vector<std::string>& after, const Paint& paint) {
  size_t rows = before.size(), columns = after.size();
  std::vector<std::vector<size_t>> common(rows + 1, std::vector<size_t>(columns + 1, 0));
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      common[i][j] = before[i] == after[j] ? common[i + 1][j + 1] + 1
                                           : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<std::string> lines;
  for (size_t i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && j < columns && before[i] == after[j]) {
      lines.push_back(" " + before[i++]);
      ++j;
    } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back(paint.red("-" + before[i++]));
    } else {
      lines.push_back(paint.green("+" + after[j++]));
    }
  }
  return lines;
}

std::string changeText(const Change& change) {
  std::string value = printable(change.value);
  std::string old = printable(change.old);
  std::string text;
  switch (change.operation) {
  case Operation::AddRpath:
    text = "+ search path  " + value;
    break;
  case Operation::RemoveRpath:
    text = "- search path  " + value;
    break;
  case Operation::ReplaceRpath:
    text = "~ search path  " + old + " -> " + value;
    break;
  case Operation::SetRpathKind:
    text = "~ kind         " + (old.empty() ? value : old + " -> " + value);
    break;
  case Operation::RenameDependency:
    text = "~ dependency   " + old + " -> " + value;
    break;
  case Operation::AddDependency:
    text = "+ dependency   " + value;
    break;
  case Operation::RemoveDependency:
    text = "- dependency   " + value;
    break;
  case Operation::SetId:
    text = "~ identity     " + (old.empty() ? value : old + " -> " + value);
    break;
  case Operation::Delay:
    text = "~ delayed      " + value;
    break;
  case Operation::Undelay:
    text = "~ not delayed  " + value;
    break;
  case Operation::Sign:
    text = "~ signature    ad hoc";
    break;
  case Operation::ReplaceFile:
    text = "~ file         " + value;
    break;
  }
  // "asked for" needs no saying to the one who asked.
  if (change.reason != "asked for")
    text += "  (" + printable(change.reason) + ")";
  return change.arch.empty() ? text : change.arch + " " + text;
}

std::string changesText(const apply::FileOutcome& file) {
  std::string text;
  for (const Change& change : file.edit.changes)
    text += "              " + changeText(change) + "\n";
  return text;
}

std::string bytesText(const ByteVector& bytes) {
  constexpr size_t kMost = 16;
  std::string text = llvm::toHex(Bytes(bytes).take_front(kMost), /*LowerCase=*/true);
  return bytes.size() > kMost ? text + "…" : text;
}

std::string countText(size_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

} // namespace

std::string Paint::wrap(const char* code, llvm::StringRef text) const {
  if (!isOn)
    return text.str();
  return ("\x1b[" + llvm::Twine(code) + "m" + text + "\x1b[0m").str();
}

std::string printable(llvm::StringRef text) {
  std::string out;
  for (char c : llvm::json::fixUTF8(text)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    else
      out += c;
  }
  return out;
}

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
    return {}; // said on standard error
  std::string out = file.verdict.isValid ? paint.green("ok     ") : paint.red("INVALID");
  out += "  " + paint.bold(printable(file.path)) + "  " +
         paint.dim(llvm::join(file.verdict.summaries, "; ")) + "\n";
  for (const std::string& problem : file.verdict.problems)
    out += "         " + printable(problem) + "\n";
  return out;
}

namespace {

// One line for each file, and what changed in it; files that changed alike share one list of
// changes, below the last of them.
std::string filesText(llvm::ArrayRef<apply::FileOutcome> files, bool withUnchanged,
                      const Paint& paint) {
  std::string out;
  for (size_t i = 0; i < files.size(); ++i) {
    const apply::FileOutcome& file = files[i];
    switch (file.status) {
    case apply::FileStatus::Changed:
    case apply::FileStatus::WouldChange: {
      out += paint.green("changed   ") + "  " + paint.bold(printable(file.path)) + "\n";
      std::string changes = changesText(file);
      if (i + 1 == files.size() || changesText(files[i + 1]) != changes)
        out += changes;
      break;
    }
    case apply::FileStatus::Unchanged:
    case apply::FileStatus::Skipped:
      if (withUnchanged)
        out += paint.dim("unchanged ") + "  " + printable(file.path) + "\n";
      break;
    case apply::FileStatus::Failed:
      out += paint.red("failed    ") + "  " + printable(file.path) + "\n";
      break;
    }
  }
  return out;
}

std::string countsText(const apply::FileCounts& counts, llvm::StringRef noun,
                       bool isPromise = false) {
  size_t all = counts.changed + counts.unchanged + counts.skipped + counts.failed;
  std::string out =
      all == 1 || noun != "library" ? countText(all, noun) : std::to_string(all) + " libraries";
  out += ": " + std::to_string(counts.changed) + (isPromise ? " would change, " : " changed, ") +
         std::to_string(counts.unchanged) + " unchanged";
  if (counts.failed != 0)
    out += ", " + std::to_string(counts.failed) + " failed";
  return out;
}

std::string verdictText(const apply::TargetOutcome& target, bool isPromise, const Paint& paint) {
  switch (target.loads.after) {
  case resolve::Verdict::Loads:
    return paint.green(isPromise ? "would load" : "loads") +
           (target.ffmpeg ? " with FFmpeg " + std::to_string(target.ffmpeg->major) + " from " +
                                printable(target.ffmpeg->path)
                          : "") +
           "\n";
  case resolve::Verdict::Unknown:
    return "whether it loads cannot be known here: the libraries are of another platform\n";
  case resolve::Verdict::Fails:
    break;
  }
  std::string out = paint.red(isPromise ? "would not load" : "does not load") + "\n";
  for (const std::string& cause : target.causes)
    out += "  " + printable(cause) + "\n";
  return out + "next: tcfix doctor " + printable(target.path) + "\n";
}

} // namespace

std::string renderEdits(const apply::EditRun& run, const Paint& paint) {
  std::string out = filesText(run.files, /*withUnchanged=*/true, paint);
  apply::FileCounts counts = apply::countFiles(run.files);
  if (counts.changed == 0 && counts.failed == 0)
    return out + "nothing to do\n";
  return out + countsText(counts, "file") + "\n";
}

namespace {

// What changed and why in one line: search paths one by one, the rest counted.
std::string briefly(const apply::FileOutcome& file) {
  std::vector<std::string> parts;
  std::map<Operation, std::pair<size_t, std::string>> counted;
  for (const Change& change : file.edit.changes) {
    std::string why = " (" + printable(change.reason) + ")";
    if (change.operation == Operation::AddRpath)
      parts.push_back("+ " + printable(change.value) + why);
    else if (change.operation == Operation::RemoveRpath)
      parts.push_back("- " + printable(change.value) + why);
    else if (change.operation == Operation::SetRpathKind)
      parts.push_back("as " + llvm::StringRef(change.value).upper() + why);
    else if (change.operation != Operation::Sign) {
      auto& [count, reason] = counted[change.operation];
      ++count;
      reason = why;
    }
  }
  for (const auto& [operation, what] : counted) {
    llvm::StringRef verb = operation == Operation::RenameDependency   ? "renamed"
                           : operation == Operation::RemoveDependency ? "dropped"
                           : operation == Operation::AddDependency    ? "added"
                           : operation == Operation::Delay            ? "delayed"
                           : operation == Operation::Undelay          ? "undelayed"
                                                                      : llvm::StringRef();
    if (verb.empty())
      parts.push_back(nameOf(operation).str() + what.second);
    else
      parts.push_back(std::to_string(what.first) +
                      (what.first == 1 ? " dependency " : " dependencies ") + verb.str() +
                      what.second);
  }
  if (llvm::any_of(file.edit.changes,
                   [](const Change& change) { return change.operation == Operation::Sign; }))
    parts.push_back("signed");
  return llvm::join(parts, ", ");
}

} // namespace

std::string renderApplied(const apply::TargetOutcome& target, bool isVerbose, const Paint& paint) {
  if (target.files.empty())
    return {};
  bool isPromise = llvm::any_of(target.files, [](const apply::FileOutcome& file) {
    return file.status == apply::FileStatus::WouldChange;
  });
  std::string out;
  if (isVerbose)
    out = filesText(target.files, /*withUnchanged=*/true, paint);
  else
    for (const apply::FileOutcome& file : target.files)
      if (file.status == apply::FileStatus::Changed ||
          file.status == apply::FileStatus::WouldChange)
        out += paint.green(isPromise ? "would change" : "changed") + "  " +
               paint.bold(printable(llvm::sys::path::filename(file.path))) + "  " + briefly(file) +
               "\n";
      else if (file.status == apply::FileStatus::Failed)
        out += paint.red("failed ") + "  " + printable(llvm::sys::path::filename(file.path)) + "\n";
  apply::FileCounts counts = apply::countFiles(target.files);
  bool isIdle = counts.changed == 0 && counts.failed == 0 && target.problems.empty();
  out += paint.bold(printable(target.path)) + ": " +
         (isIdle ? std::string("nothing to do") : countsText(counts, "library", isPromise)) + "; " +
         verdictText(target, isPromise, paint);
  if (counts.changed != 0 && !isPromise && target.loads.after == resolve::Verdict::Loads)
    out += "next: python -c \"import torchcodec\"\n";
  return out;
}

namespace {

// A wheel's libraries change alike, and there may be many wheels: how many changed in which way.
std::string kindsOfChangeText(llvm::ArrayRef<apply::FileOutcome> files) {
  std::vector<std::pair<std::string, size_t>> kinds;
  for (const apply::FileOutcome& file : files) {
    if (file.status != apply::FileStatus::Changed)
      continue;
    const Change& first = file.edit.changes.front();
    std::string text = first.operation == Operation::ReplaceFile ? first.reason : briefly(file);
    auto known = llvm::find_if(kinds, [&](const auto& kind) { return kind.first == text; });
    if (known == kinds.end())
      kinds.emplace_back(text, 1);
    else
      ++known->second;
  }
  std::string out;
  for (const auto& [text, count] : kinds)
    out += "  " + std::to_string(count) + " x  " + text + "\n";
  return out;
}

} // namespace

std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint) {
  if (wheel.files.empty())
    return {}; // said on standard error
  std::string name = paint.bold(printable(wheel.input)) + ": ";
  if (wheel.status() == apply::FileStatus::Unchanged)
    return name + "nothing to do\n";
  std::string out = name + countsText(apply::countFiles(wheel.files), "library") + "\n";
  if (isVerbose)
    out += filesText(wheel.files, /*withUnchanged=*/true, paint);
  else
    out += kindsOfChangeText(wheel.files);
  return out + (wheel.output.empty() ? "not written\n"
                                     : "wrote " + paint.bold(printable(wheel.output)) + "\n");
}

std::string renderDiff(llvm::ArrayRef<apply::FileOutcome> files, bool withBytes,
                       const Paint& paint) {
  std::string out;
  size_t wouldChange = 0;
  for (const apply::FileOutcome& file : files) {
    if (file.status != apply::FileStatus::WouldChange)
      continue;
    ++wouldChange;
    out += paint.bold("--- " + printable(file.path)) + "\n";
    out += paint.bold("+++ " + printable(file.path)) + "\n";
    std::vector<std::string> before = viewOf(*file.before), after = viewOf(*file.after);
    out +=
        "@@ -1," + std::to_string(before.size()) + " +1," + std::to_string(after.size()) + " @@\n";
    for (const std::string& line : unifiedLines(before, after, paint))
      out += line + "\n";
    const Rewrite& rewrite = file.edit.rewrite;
    out += paint.dim("# " + countText(bytesChanged(rewrite), "byte") + " of the file change" +
                     (bytesChanged(rewrite) == 1 ? "s" : "") +
                     (rewrite.newSize > rewrite.oldSize
                          ? "; it grows by " + std::to_string(rewrite.newSize - rewrite.oldSize)
                          : "")) +
           "\n";
    if (!withBytes)
      continue;
    for (const Move& move : rewrite.moves)
      out += "# " + llvm::utohexstr(move.from, true) + " moves to " +
             llvm::utohexstr(move.to, true) + ": " + std::to_string(move.length) + " bytes, " +
             printable(move.reason) + "\n";
    for (const BytePatch& patch : rewrite.patches)
      out += "# 0x" + llvm::utohexstr(patch.offset, true, 8) + " " + bytesText(patch.before) +
             " -> " + bytesText(patch.after) + "  " + printable(patch.reason) + "\n";
  }
  bool hasFailed = llvm::any_of(files, [](const auto& file) { return file.problem; });
  if (wouldChange == 0 && !hasFailed)
    return "nothing to do\n";
  return out;
}

std::string renderUndo(const apply::UndoRun& run, const Paint& paint) {
  std::string out;
  for (const std::string& path : run.restored)
    out += paint.green("restored  ") + "  " + paint.bold(printable(path)) + "\n";
  for (const std::string& path : run.skipped)
    out += paint.dim("original  ") + "  " + printable(path) + "\n";
  if (run.restored.empty() && run.problems.empty())
    out += "nothing to undo\n";
  return out;
}

} // namespace tcfix::report
