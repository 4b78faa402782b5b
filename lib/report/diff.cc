// Planned changes as a unified diff of the contents of libraries.
#include "report/text_parts.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::report {

namespace {

// Each format's own terms, used in a diff.
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

// The contents of a library, line by line.
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

// The longest common subsequence by the textbook table: the views have some dozen lines.
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

std::string bytesText(const ByteVector& bytes) {
  constexpr size_t kMax = 16;
  std::string text = llvm::toHex(Bytes(bytes).take_front(kMax), /*LowerCase=*/true);
  return bytes.size() > kMax ? text + "..." : text;
}

} // namespace

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

} // namespace tcfix::report
