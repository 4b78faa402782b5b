#include "wheel/contents.h"

#include "base/error.h"
#include "env/distribution.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::wheel {

namespace {

constexpr llvm::StringLiteral kChanged =
    "the wheel was changed after it was built; download it again";

llvm::Error notAWheel(const std::string& why) {
  return fail(ErrorCode::Malformed, "is not a valid wheel: " + why,
              "download it again, or rebuild it");
}

} // namespace

llvm::Expected<Contents> Contents::open(const std::string& path) {
  if (io::isDirectory(path))
    return fail(ErrorCode::NotALibrary, "is a directory, not a wheel", "pass the wheels in it");
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  if (!file)
    return file.takeError();
  Contents contents(std::move(*file));
  llvm::Expected<WheelName> name = WheelName::parse(llvm::sys::path::filename(path));
  if (!name)
    return name.takeError();
  contents.fileName = std::move(*name);
  llvm::Expected<ZipReader> archive = ZipReader::open(contents.file.bytes());
  if (!archive)
    return archive.takeError();
  contents.archive = std::move(*archive);
  if (llvm::Error error = contents.readDistInfo())
    return error;
  return contents;
}

llvm::Error Contents::readDistInfo() {
  std::set<std::string> folders;
  for (const ZipMember& member : members())
    if (llvm::StringRef folder = llvm::StringRef(member.name).split('/').first;
        folder.size() != member.name.size() && folder.ends_with(".dist-info"))
      folders.insert(folder.str());
  if (folders.size() != 1)
    return notAWheel(folders.empty() ? "no .dist-info directory"
                                     : "more than one .dist-info directory");
  distInfoFolder = *folders.begin();
  llvm::StringRef owner = llvm::StringRef(distInfoFolder).split('-').first;
  if (env::normalizedName(owner) != env::normalizedName(fileName.distribution))
    return notAWheel(distInfoFolder + " does not match the file name");

  const ZipMember* record = archive.find(distInfoFolder + "/RECORD");
  const ZipMember* metadata = archive.find(distInfoFolder + "/METADATA");
  if (!record || !metadata)
    return notAWheel(distInfoFolder + " has no " + (record ? "METADATA" : "RECORD"));
  for (const char* signature : {"/RECORD.jws", "/RECORD.p7s"})
    if (archive.find(distInfoFolder + signature))
      return fail(ErrorCode::ForeignSigned, "has a signed RECORD, which tcfix cannot sign again",
                  "unpack it, remove the signature, and repack it");

  llvm::Expected<ByteVector> text = unpack(*record, kMaxText);
  if (!text)
    return text.takeError();
  const auto* letters = reinterpret_cast<const llvm::UTF8*>(text->data());
  if (!llvm::isLegalUTF8String(&letters, letters + text->size()))
    return notAWheel(record->name + " is not valid UTF-8");
  if (llvm::count_if(*text, [](uint8_t byte) { return byte == '\n' || byte == '\r'; }) > kMaxLines)
    return notAWheel(record->name + " lists more files than a zip archive can contain");
  llvm::Expected<env::Record> table = env::Record::parse(textOf(*text));
  if (!table)
    return within(record->name, table.takeError());
  recordTable = std::move(*table);
  for (size_t i = 0; i < recordTable.rows().size(); ++i)
    rowsByPath[recordTable.rows()[i].path].push_back(i);
  llvm::Expected<ByteVector> bytes = read(*metadata, kMaxText);
  if (!bytes)
    return bytes.takeError();
  metadataBytes = std::move(*bytes);
  versionInMetadata = env::metadataField(textOf(metadataBytes), "Version").str();
  if (versionInMetadata.empty())
    return notAWheel(metadata->name + " has no version");
  return llvm::Error::success();
}

llvm::StringRef Contents::installedPath(llvm::StringRef member) const {
  llvm::StringRef rest = member, owner = distInfoFolder;
  owner.consume_back(".dist-info");
  bool isMoved = rest.consume_front(owner) &&
                 (rest.consume_front(".data/platlib/") || rest.consume_front(".data/purelib/"));
  return isMoved ? rest : member;
}

llvm::Expected<ByteVector> Contents::read(const ZipMember& member, uint64_t most) const {
  if (io::system::isInterrupted())
    return fail(ErrorCode::Interrupted, "not repaired: interrupted");
  llvm::Expected<ByteVector> content = unpack(member, most);
  if (!content)
    return content;
  auto rows = rowsByPath.find(member.name);
  if (rows == rowsByPath.end())
    return fail(ErrorCode::Malformed, "RECORD does not list " + member.name, kChanged.str());
  const std::string expected = env::recordDigest(io::sha256Hex(*content));
  for (size_t i : rows->second) {
    const env::RecordRow& row = recordTable.rows()[i];
    llvm::StringRef digest = row.digest;
    if (!digest.empty() && !digest.starts_with("sha256="))
      return fail(ErrorCode::Unsupported,
                  "the hash of " + member.name +
                      " in RECORD is not SHA-256, so it cannot be checked",
                  "repack it with `wheel unpack` and `wheel pack`, which write SHA-256 hashes");
    if ((!digest.empty() && digest != expected) ||
        row.size.value_or(content->size()) != content->size())
      return fail(ErrorCode::Malformed, "hash or size of " + member.name + " differs from RECORD",
                  kChanged.str());
  }
  return content;
}

} // namespace tcfix::wheel
