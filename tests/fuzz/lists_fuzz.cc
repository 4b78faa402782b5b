// RECORD, METADATA, journals, other lists and Python sources are untrusted, too: each can be read,
// and what is written from it can be read again.
//
// The input is the content of a file and, as its last byte, the number of its kind.
#include "fuzz/property.h"

#include "commit/journal.h"
#include "env/conda_record.h"
#include "env/distribution.h"
#include "env/python_source.h"
#include "env/record.h"
#include "resolve/ld_cache.h"

using namespace tcfix;

namespace {

void readRecord(llvm::StringRef text) {
  llvm::Expected<env::Record> record = env::Record::parse(text);
  if (!record)
    return llvm::consumeError(record.takeError());
  fuzz::expect(record->text() == text, "a RECORD without changes keeps its text");
  record->set("a,b", "sha256=x", 7);
  llvm::Expected<env::Record> again = env::Record::parse(record->text());
  fuzz::expect(bool(again), "a changed RECORD can be read");
  fuzz::expect(again->find("a,b") && again->find("a,b")->size == 7,
               "a changed RECORD contains the change");
}

void readCondaRecord(llvm::StringRef text) {
  llvm::Expected<env::CondaRecord> record = env::CondaRecord::parse(text);
  if (!record)
    return llvm::consumeError(record.takeError());
  record->add("lib/added");
  record->set("lib/added", std::string(64, '0'), 7);
  fuzz::expect(fuzz::succeeds(env::CondaRecord::parse(record->text())),
               "conda's list can be read after a file was added");
}

void readJournal(llvm::StringRef text) {
  llvm::Expected<commit::Journal> journal = commit::parseJournal(text);
  if (!journal)
    return llvm::consumeError(journal.takeError());
  llvm::Expected<std::string> written = journalText(*journal);
  fuzz::expect(bool(written), "a journal that could be read can be written");
  llvm::Expected<commit::Journal> again = commit::parseJournal(*written);
  fuzz::expect(again && isSame(*journal, *again),
               "a journal is the same after writing and reading");
}

void readMetadata(llvm::StringRef text) {
  for (const char* name : {"Name", "Version", "Requires-Dist"}) {
    const llvm::StringRef field = env::metadataField(text, name);
    fuzz::expect(!field.contains('\n') && field == field.trim(), "a field is one line");
  }
}

void readSource(llvm::StringRef text) {
  for (const Platform platform : {Platform::MacOs, Platform::Linux, Platform::Windows})
    for (const env::ImportStatement& statement : env::readPythonSource(text, platform).imports)
      fuzz::expect(!llvm::StringRef(statement.module).contains('\n'),
                   "a module's name is one line");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  Bytes bytes(data, size - 1);
  constexpr uint8_t kSources = 250; // from here on; smaller numbers are those of the corpus
  if (data[size - 1] >= kSources) {
    readSource(textOf(bytes));
    return 0;
  }
  switch (data[size - 1] % 5) {
  case 0:
    readRecord(textOf(bytes));
    break;
  case 1:
    readCondaRecord(textOf(bytes));
    break;
  case 2:
    readJournal(textOf(bytes));
    break;
  case 3:
    resolve::parseLdCache(bytes);
    break;
  default:
    readMetadata(textOf(bytes));
  }
  return 0;
}

#ifdef TCFIX_FUZZ
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// Content of one kind is invalid as another kind, so the mutator rarely changes the kind.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (size < 2 || seed % 64 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const uint8_t kind = data[size - 1];
  size = LLVMFuzzerMutate(data, size - 1, most - 1);
  data[size] = kind;
  return size + 1;
}
#endif
