#include "apply/journal.h"

#include "io/digest.h"
#include "io/file.h"
#include "io/staged.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

namespace tcfix::apply {

namespace json = llvm::json;

namespace {

constexpr int64_t kSchema = 1;

llvm::Error damaged(const llvm::Twine& what) {
  return fail(ErrorCode::Malformed, ("is not a journal of tcfix: " + what).str());
}

// JSON's numbers are doubles to many readers; 64-bit values travel as text.
std::string numberText(uint64_t value) {
  return std::to_string(value);
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
  return json::Object{{"path", io::hexOf(bytesOf(entry.path))},
                      {"name", json::fixUTF8(entry.path)},
                      {"sha256_before", entry.sha256Before},
                      {"sha256_after", entry.sha256After},
                      {"modified_ns", std::to_string(entry.modifiedNs)},
                      {"changed_size", numberText(entry.reverse.oldSize)},
                      {"original_size", numberText(entry.reverse.newSize)},
                      {"moves", std::move(moves)},
                      {"patches", std::move(patches)}};
}

// One object of the journal, read strictly: any field that is absent or not what it should be
// makes the whole entry invalid.
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

bool read(const json::Value& value, JournalEntry& entry) {
  Reader reader(value);
  entry.path = reader.bytes("path");
  entry.sha256Before = reader.text("sha256_before");
  entry.sha256After = reader.text("sha256_after");
  entry.modifiedNs = reader.number<int64_t>("modified_ns");
  entry.reverse.oldSize = reader.number("changed_size");
  entry.reverse.newSize = reader.number("original_size");
  bool isValid = true;
  for (const json::Value& item : reader.array("moves")) {
    Reader fields(item);
    Move move{fields.number("from"), fields.number("to"), fields.number("length"), "undo"};
    isValid = isValid && fields.isValid && fits(move.from, move.length, entry.reverse.oldSize) &&
              fits(move.to, move.length, entry.reverse.newSize);
    entry.reverse.moves.push_back(move);
  }
  for (const json::Value& item : reader.array("patches")) {
    Reader fields(item);
    BytePatch patch;
    patch.offset = fields.number("offset");
    std::string bytes = fields.bytes("bytes");
    patch.after.assign(bytes.begin(), bytes.end());
    isValid =
        isValid && fields.isValid && fits(patch.offset, patch.after.size(), entry.reverse.newSize);
    entry.reverse.patches.push_back(std::move(patch));
  }
  return isValid && reader.isValid;
}

// Everything that can be wrong is found out before anything is written.
llvm::Error restore(const JournalEntry& entry, const io::InputFile& file) {
  if (file.bytes().size() != entry.reverse.oldSize)
    return damaged("sizes disagree");
  if (io::sha256Hex(RewrittenView(file.bytes(), entry.reverse)) != entry.sha256Before)
    return damaged("it does not lead back to the original bytes");
  llvm::Expected<io::StagedFile> staged = io::StagedFile::stage(file, entry.reverse);
  if (!staged)
    return staged.takeError();
  if (llvm::Error error = staged->setModified(entry.modifiedNs))
    return error;
  if (llvm::Error error = staged->sync())
    return error;
  if (llvm::Error error = staged->commit())
    return error;
  return io::system::syncFolder(llvm::sys::path::parent_path(file.path()));
}

enum class Undone { Restored, Skipped };

// Takes back one file's entries, the oldest first in `entries`, from the one that made its present
// bytes down to the first.
llvm::Expected<Undone> undo(const std::string& path, llvm::ArrayRef<const JournalEntry*> entries,
                            io::Notify notify) {
  llvm::Expected<io::system::FolderLock> lock =
      io::system::FolderLock::acquire(llvm::sys::path::parent_path(path), notify);
  if (!lock)
    return lock.takeError();
  for (bool isFirst = true;; isFirst = false) {
    llvm::Expected<io::InputFile> file = io::InputFile::open(path);
    if (!file)
      return file.takeError();
    std::string now = io::sha256Hex(file->bytes());
    if (now == entries.front()->sha256Before)
      return isFirst ? Undone::Skipped : Undone::Restored;
    while (!entries.empty() && entries.back()->sha256After != now)
      entries = entries.drop_back();
    if (entries.empty())
      return fail(ErrorCode::ChangedMeanwhile, "was changed by someone else since; left as it is",
                  "install the package again to get the original back");
    if (llvm::Error error = restore(*entries.back(), *file))
      return error;
  }
}

} // namespace

llvm::Expected<std::vector<JournalEntry>> readJournal(llvm::StringRef path) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  if (!file)
    return file.takeError();
  llvm::Expected<json::Value> document = json::parse(textOf(file->bytes()));
  if (!document) {
    llvm::consumeError(document.takeError());
    return damaged("it is not JSON");
  }
  const json::Object* root = document->getAsObject();
  const json::Array* list = root ? root->getArray("entries") : nullptr;
  if (!list || root->getInteger("journal") != kSchema)
    return damaged("entries are missing, or it was written by a newer version");
  std::vector<JournalEntry> entries;
  for (const json::Value& value : *list)
    if (!read(value, entries.emplace_back()))
      return damaged("entry " + llvm::Twine(entries.size()) + " is incomplete");
  return entries;
}

llvm::Error writeJournal(llvm::StringRef path, llvm::ArrayRef<JournalEntry> entries) {
  json::Array list;
  for (const JournalEntry& entry : entries)
    list.push_back(toJson(entry));
  std::string text;
  llvm::raw_string_ostream out(text);
  out << json::Value(json::Object{{"journal", kSchema}, {"entries", std::move(list)}}) << '\n';
  return io::writeWhole(path, bytesOf(out.str()));
}

llvm::Expected<UndoRun> undoJournal(llvm::StringRef path, io::Notify notify) {
  llvm::Expected<std::vector<JournalEntry>> entries = readJournal(path);
  if (!entries)
    return entries.takeError();
  std::map<std::string, std::vector<const JournalEntry*>> files;
  for (const JournalEntry& entry : *entries)
    files[entry.path].push_back(&entry);
  UndoRun run;
  for (const auto& [name, steps] : files) {
    llvm::Expected<Undone> result = undo(name, steps, notify);
    if (!result)
      run.problems.push_back(toProblem(result.takeError(), name));
    else
      (*result == Undone::Restored ? run.restored : run.skipped).push_back(name);
  }
  return run;
}

} // namespace tcfix::apply
