#include "commit/journal.h"

#include "commit/json_view.h"
#include "image/names.h"
#include "io/digest.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <tuple>

namespace tcfix::commit {

namespace json = llvm::json;

namespace {

constexpr int64_t kSchema = 1;

/// Larger than any library.
constexpr uint64_t kMaxOriginalSize = uint64_t(1) << 40;

llvm::Error invalidJournal(const llvm::Twine& what) {
  return fail(ErrorCode::Malformed, ("is not a tcfix journal: " + what).str());
}

// Many JSON readers treat numbers as doubles, so 64-bit values are written as strings.
std::string numberText(uint64_t value) {
  return std::to_string(value);
}

// Strings from libraries and file systems may not be UTF-8, which JSON requires.
constexpr llvm::StringLiteral kHex = "hex:";
std::string safeText(llvm::StringRef text) {
  if (json::isUTF8(text) && !text.starts_with(kHex))
    return text.str();
  return kHex.str() + io::hexOf(bytesOf(text));
}

json::Value toJson(const AppliedPlan& plan) {
  json::Array dependencies, searchPaths;
  for (const Dependency& dependency : plan.dependencies)
    dependencies.push_back(json::Object{{"name", safeText(dependency.name)},
                                        {"kind", numberText(uint64_t(dependency.kind))}});
  for (const std::string& path : plan.searchPaths)
    searchPaths.push_back(json::Object{{"path", safeText(path)}});
  return json::Object{
      {"wishes", safeText(plan.editsText)},
      {"device", numberText(plan.stamp.device)},
      {"inode", numberText(plan.stamp.inode)},
      {"size", numberText(plan.stamp.size)},
      {"modified_ns", std::to_string(plan.stamp.modifiedNs)},
      {"dependencies", std::move(dependencies)},
      {"search_paths", std::move(searchPaths)},
      {"search_path_kind", plan.searchPathKind ? nameOf(*plan.searchPathKind) : "none"}};
}

json::Value toJson(const JournalEntry& entry) {
  json::Array moves, patches;
  for (const Move& move : entry.reverse.moves)
    moves.push_back(json::Object{{"from", numberText(move.from)},
                                 {"to", numberText(move.to)},
                                 {"length", numberText(move.length)}});
  for (const BytePatch& patch : entry.reverse.patches)
    patches.push_back(
        json::Object{{"offset", numberText(patch.offset)}, {"bytes", io::hexOf(patch.after)}});
  json::Object object{{"path", safeText(entry.path)},
                      {"sha256_before", entry.sha256Before},
                      {"sha256_after", entry.sha256After},
                      {"modified_ns", std::to_string(entry.modifiedNs)},
                      {"changed_size", numberText(entry.reverse.oldSize)},
                      {"original_size", numberText(entry.reverse.newSize)},
                      {"moves", std::move(moves)},
                      {"patches", std::move(patches)}};
  if (!entry.link.empty())
    object["link"] = safeText(entry.link);
  if (entry.plan)
    object["plan"] = toJson(*entry.plan);
  return object;
}

// Entries with equal hashes describe the same bytes; the reverse patch and the plan follow from
// them.
bool isSameEntry(const JournalEntry& a, const JournalEntry& b) {
  auto written = [](const JournalEntry& entry) {
    return std::tie(entry.path, entry.sha256Before, entry.sha256After, entry.modifiedNs,
                    entry.link);
  };
  return written(a) == written(b) && a.plan.has_value() == b.plan.has_value() &&
         (!a.plan || (a.plan->editsText == b.plan->editsText && a.plan->stamp == b.plan->stamp));
}

// Reads one object of the journal strictly: a missing or invalid field makes the whole entry
// invalid.
class Reader {
public:
  explicit Reader(JsonView::Value object) : object(object) {}

  std::string text(llvm::StringRef key) {
    std::optional<JsonView::Value> found = object.get(key);
    std::optional<std::string> text = found ? found->string() : std::nullopt;
    isValid = isValid && text;
    return std::move(text).value_or("");
  }
  template <typename Number = uint64_t>
  Number number(llvm::StringRef key) {
    Number value = 0;
    isValid = !llvm::StringRef(text(key)).getAsInteger(10, value) && isValid;
    return value;
  }
  bool has(llvm::StringRef key) const { return object.get(key).has_value(); }
  std::string safeText(llvm::StringRef key) {
    std::string value = text(key), decoded;
    llvm::StringRef rest(value);
    if (!rest.consume_front(kHex))
      return value;
    isValid = llvm::tryGetFromHex(rest, decoded) && isValid;
    return decoded;
  }
  std::string bytes(llvm::StringRef key) {
    std::string result;
    isValid = llvm::tryGetFromHex(text(key), result) && isValid;
    return result;
  }
  std::vector<JsonView::Value> array(llvm::StringRef key) {
    std::optional<JsonView::Value> found = object.get(key);
    isValid = isValid && found && found->isArray();
    return found ? found->elements() : std::vector<JsonView::Value>();
  }

  bool isValid = true;

private:
  JsonView::Value object;
};

bool read(JsonView::Value value, AppliedPlan& plan) {
  Reader reader(value);
  plan.editsText = reader.safeText("wishes");
  plan.stamp.device = reader.number("device");
  plan.stamp.inode = reader.number("inode");
  plan.stamp.size = reader.number("size");
  plan.stamp.modifiedNs = reader.number<int64_t>("modified_ns");
  bool isValid = true;
  for (JsonView::Value item : reader.array("dependencies")) {
    Reader fields(item);
    std::string name = fields.safeText("name");
    uint64_t kind = fields.number("kind");
    isValid = isValid && fields.isValid && kind <= uint64_t(DependencyKind::Delay);
    plan.dependencies.push_back({std::move(name), static_cast<DependencyKind>(kind)});
  }
  for (JsonView::Value item : reader.array("search_paths")) {
    Reader fields(item);
    plan.searchPaths.push_back(fields.safeText("path"));
    isValid = isValid && fields.isValid;
  }
  std::string kindName = reader.text("search_path_kind");
  for (SearchPathKind kind : {SearchPathKind::Rpath, SearchPathKind::Runpath})
    if (kindName == nameOf(kind))
      plan.searchPathKind = kind;
  return isValid && reader.isValid;
}

/// Whether the entry can describe an edit of a file. A journal with one that cannot is neither read
/// nor written.
bool isConsistent(const JournalEntry& entry) {
  const auto [oldSize, newSize] = std::pair(entry.reverse.oldSize, entry.reverse.newSize);
  // Moves must not overlap, nor must patches.
  uint64_t patched = 0, moved = 0, filled = 0, taken = 0;
  for (const Move& move : entry.reverse.moves) {
    if (!fits(move.from, move.length, oldSize) || !fits(move.to, move.length, newSize) ||
        move.to < filled || !fits(moved, move.length, oldSize))
      return false;
    filled = move.to + move.length;
    moved += move.length;
  }
  for (const BytePatch& patch : entry.reverse.patches) {
    if (patch.offset < patched || !fits(patch.offset, patch.after.size(), newSize))
      return false;
    patched = patch.offset + patch.after.size();
    taken += patch.after.size();
  }
  // Every byte of the original comes from the changed file or from a patch, or is one of the zeros
  // at its end.
  return entry.sha256Before != entry.sha256After && oldSize <= kMaxOriginalSize &&
         newSize <= kMaxOriginalSize && newSize <= oldSize + moved + taken + kMaxZeros;
}

bool read(JsonView::Value value, JournalEntry& entry) {
  Reader reader(value);
  entry.path = reader.safeText("path");
  if (reader.has("link"))
    entry.link = reader.safeText("link");
  if (reader.has("plan") && !read(*value.get("plan"), entry.plan.emplace()))
    return false;
  entry.sha256Before = reader.text("sha256_before");
  entry.sha256After = reader.text("sha256_after");
  entry.modifiedNs = reader.number<int64_t>("modified_ns");
  entry.reverse.oldSize = reader.number("changed_size");
  entry.reverse.newSize = reader.number("original_size");
  bool isValid = true;
  for (JsonView::Value item : reader.array("moves")) {
    Reader fields(item);
    entry.reverse.moves.push_back(
        {fields.number("from"), fields.number("to"), fields.number("length"), "undo"});
    isValid = isValid && fields.isValid;
  }
  for (JsonView::Value item : reader.array("patches")) {
    Reader fields(item);
    BytePatch patch;
    patch.offset = fields.number("offset");
    std::string bytes = fields.bytes("bytes");
    patch.after.assign(bytes.begin(), bytes.end());
    isValid = isValid && fields.isValid;
    entry.reverse.patches.push_back(std::move(patch));
  }
  return isValid && reader.isValid && isConsistent(entry);
}

/// Checked before a text is parsed, and before it is written: bounds the memory that the entries
/// and patches take, each many times that of its text.
llvm::Error checkShape(llvm::StringRef text) {
  constexpr size_t kMaxObjects = 1'000'000;   // an object for each patch; 4 KiB each
  constexpr size_t kMaxSeparators = 16 << 20; // 40 bytes for each value
  int depth = 0;
  size_t objects = 0, separators = 0;
  bool isText = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (isText && letter == '\\')
      ++i;
    else if (letter == '"')
      isText = !isText;
    else if (!isText) {
      depth += (letter == '[' || letter == '{') - (letter == ']' || letter == '}');
      objects += letter == '{';
      separators += letter == ',';
    }
    if (depth > JsonView::kMaxDepth)
      return invalidJournal("nested too deeply");
    if (objects > kMaxObjects || separators > kMaxSeparators)
      return fail(ErrorCode::Unsupported, "the journal has too many entries and patches");
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<JournalFile> openJournal(const std::string& path, const io::TargetDisk* disk) {
  JournalFile file;
  // Only what is found there counts: a journal that cannot be reached is not an absent one.
  std::optional<std::string> real = disk ? disk->realPath(path) : std::nullopt;
  llvm::Expected<io::InputFile> input = real ? io::InputFile::openReal(*real, io::kLargestText)
                                             : io::InputFile::open(path, io::kLargestText);
  if (!input) {
    Problem problem = toProblem(input.takeError(), path);
    return problem.code == ErrorCode::NotFound ? llvm::Expected<JournalFile>(std::move(file))
                                               : toError(std::move(problem));
  }
  file.input = std::make_unique<io::InputFile>(std::move(*input));
  file.input->unmap(); // so that undo can remove the file
  if (llvm::Error error = file.input->checkWhole())
    return at(path, std::move(error));
  llvm::Expected<Journal> journal = parseJournal(textOf(file.input->bytes()));
  if (!journal)
    return at(path, journal.takeError());
  file.journal = std::move(*journal);
  return file;
}

llvm::Expected<Journal> readJournal(llvm::StringRef path) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path, io::kLargestText);
  if (!file)
    return file.takeError();
  llvm::Expected<Journal> journal = parseJournal(textOf(file->bytes()));
  if (llvm::Error error = file->checkWhole(journal.takeError()))
    return error;
  return journal;
}

std::vector<JournalEntry> historyOf(const Journal& journal, llvm::StringRef path,
                                    llvm::StringRef sha256) {
  std::vector<JournalEntry> history;
  std::string now = sha256.str();
  for (const JournalEntry& entry : llvm::reverse(journal.entries))
    if (entry.path == path && entry.sha256After == now) {
      now = entry.sha256Before;
      history.push_back(entry);
    }
  if (now == sha256) // the edits cancel out
    history.clear();
  std::reverse(history.begin(), history.end());
  return history;
}

llvm::Expected<Journal> parseJournal(llvm::StringRef text) {
  if (llvm::Error error = checkShape(text))
    return error;
  std::optional<JsonView> document = JsonView::parse(text);
  if (!document)
    return invalidJournal("not JSON");
  std::optional<JsonView::Value> list = document->root().get("entries");
  std::optional<JsonView::Value> schema = document->root().get("journal");
  if (!list || !list->isArray() || !schema || schema->integer() != kSchema)
    return invalidJournal("no entries, or written by a newer version");
  Journal journal;
  for (JsonView::Value value : list->elements())
    if (!read(value, journal.entries.emplace_back()))
      return invalidJournal("entry " + llvm::Twine(journal.entries.size()) + " is incomplete");
  return journal;
}

bool isSame(const Journal& a, const Journal& b) {
  return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    isSameEntry);
}

llvm::Expected<std::string> journalText(const Journal& journal) {
  json::Array list;
  for (const JournalEntry& entry : journal.entries) {
    if (!isConsistent(entry))
      return fail(ErrorCode::Unsupported,
                  "the journal cannot describe the change of " + entry.path);
    list.push_back(toJson(entry));
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  out << json::Value(json::Object{{"journal", kSchema}, {"entries", std::move(list)}}) << '\n';
  if (text.size() > io::kLargestText)
    return fail(ErrorCode::Unsupported,
                "the journal would be too large: " + io::sizeText(text.size()) + "; the limit is " +
                    io::sizeText(io::kLargestText));
  if (llvm::Error error = checkShape(text)) // it must be readable again
    return error;
  return text;
}

} // namespace tcfix::commit
