#include "commit/journal.h"

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
      {"wishes", safeText(plan.wishes)},
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
         (!a.plan || (a.plan->wishes == b.plan->wishes && a.plan->stamp == b.plan->stamp));
}

// Reads one object of the journal strictly: a missing or invalid field makes the whole entry
// invalid.
class Reader {
public:
  explicit Reader(const json::Value& value) : object(value.getAsObject()) {}

  std::string text(llvm::StringRef key) {
    auto found = object ? object->getString(key) : std::nullopt;
    isValid = isValid && found;
    return found ? found->str() : std::string();
  }
  template <typename Number = uint64_t>
  Number number(llvm::StringRef key) {
    Number value = 0;
    isValid = !llvm::StringRef(text(key)).getAsInteger(10, value) && isValid;
    return value;
  }
  bool has(llvm::StringRef key) const { return object && object->get(key); }
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
  const json::Array& array(llvm::StringRef key) {
    static const json::Array none;
    const json::Array* found = object ? object->getArray(key) : nullptr;
    isValid = isValid && found;
    return found ? *found : none;
  }

  bool isValid = true;

private:
  const json::Object* object;
};

bool read(const json::Value& value, AppliedPlan& plan) {
  Reader reader(value);
  plan.wishes = reader.safeText("wishes");
  plan.stamp.device = reader.number("device");
  plan.stamp.inode = reader.number("inode");
  plan.stamp.size = reader.number("size");
  plan.stamp.modifiedNs = reader.number<int64_t>("modified_ns");
  bool isValid = true;
  for (const json::Value& item : reader.array("dependencies")) {
    Reader fields(item);
    std::string name = fields.safeText("name");
    uint64_t kind = fields.number("kind");
    isValid = isValid && fields.isValid && kind <= uint64_t(DependencyKind::Delay);
    plan.dependencies.push_back({std::move(name), static_cast<DependencyKind>(kind)});
  }
  for (const json::Value& item : reader.array("search_paths")) {
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

bool read(const json::Value& value, JournalEntry& entry) {
  Reader reader(value);
  entry.path = reader.safeText("path");
  if (reader.has("link"))
    entry.link = reader.safeText("link");
  if (reader.has("plan") && !read(*value.getAsObject()->get("plan"), entry.plan.emplace()))
    return false;
  entry.sha256Before = reader.text("sha256_before");
  entry.sha256After = reader.text("sha256_after");
  entry.modifiedNs = reader.number<int64_t>("modified_ns");
  entry.reverse.oldSize = reader.number("changed_size");
  entry.reverse.newSize = reader.number("original_size");
  // Every byte of the original comes from the changed file or from a patch, which limits its size.
  // Moves and patches must not overlap.
  uint64_t patched = 0, moved = 0, filled = 0, taken = 0;
  bool isValid = entry.sha256Before != entry.sha256After;
  for (const json::Value& item : reader.array("moves")) {
    Reader fields(item);
    Move move{fields.number("from"), fields.number("to"), fields.number("length"), "undo"};
    isValid = isValid && fields.isValid && fits(move.from, move.length, entry.reverse.oldSize) &&
              fits(move.to, move.length, entry.reverse.newSize) && move.to >= filled &&
              fits(moved, move.length, entry.reverse.oldSize);
    filled = move.to + move.length;
    moved += move.length;
    entry.reverse.moves.push_back(move);
  }
  for (const json::Value& item : reader.array("patches")) {
    Reader fields(item);
    BytePatch patch;
    patch.offset = fields.number("offset");
    std::string bytes = fields.bytes("bytes");
    patch.after.assign(bytes.begin(), bytes.end());
    isValid = isValid && fields.isValid && patch.offset >= patched &&
              fits(patch.offset, patch.after.size(), entry.reverse.newSize);
    patched = patch.offset + patch.after.size();
    taken += patch.after.size();
    entry.reverse.patches.push_back(std::move(patch));
  }
  const auto [oldSize, newSize] = std::pair(entry.reverse.oldSize, entry.reverse.newSize);
  return isValid && reader.isValid && oldSize <= kMaxOriginalSize && newSize <= kMaxOriginalSize &&
         newSize <= oldSize + moved + taken;
}

// The parser recurses for every bracket; a journal needs five levels.
bool isNestedDeeply(llvm::StringRef text) {
  constexpr int kMost = 32;
  int depth = 0;
  bool isText = false;
  for (size_t i = 0; i < text.size() && depth <= kMost; ++i) {
    if (isText && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      isText = !isText;
    else if (!isText)
      depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
  }
  return depth > kMost;
}

} // namespace

llvm::Expected<JournalFile> openJournal(const std::string& path) {
  JournalFile file;
  llvm::Expected<io::InputFile> input = io::InputFile::open(path, io::kLargestText);
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
      history.insert(history.begin(), entry);
    }
  if (now == sha256) // the edits cancel out
    history.clear();
  return history;
}

llvm::Expected<Journal> parseJournal(llvm::StringRef text) {
  if (isNestedDeeply(text))
    return invalidJournal("nested too deeply");
  llvm::Expected<json::Value> document = json::parse(text);
  if (!document) {
    llvm::consumeError(document.takeError());
    return invalidJournal("not JSON");
  }
  const json::Object* root = document->getAsObject();
  const json::Array* list = root ? root->getArray("entries") : nullptr;
  if (!list || root->getInteger("journal") != kSchema)
    return invalidJournal("no entries, or written by a newer version");
  Journal journal;
  for (const json::Value& value : *list)
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
  for (const JournalEntry& entry : journal.entries)
    list.push_back(toJson(entry));
  std::string text;
  llvm::raw_string_ostream out(text);
  out << json::Value(json::Object{{"journal", kSchema}, {"entries", std::move(list)}}) << '\n';
  if (text.size() > io::kLargestText)
    return fail(ErrorCode::Unsupported,
                "the journal would be too large: " + io::sizeText(text.size()) +
                    ", and the limit is " + io::sizeText(io::kLargestText));
  return text;
}

} // namespace tcfix::commit
