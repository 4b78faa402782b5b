// Zip archives: read a wheel, write another one in which most members stay as they are.
//
// The reader believes nothing. Members, central directory and end record must follow one another
// without gap or overlap, and each member's two headers must agree: an archive that two programs
// could read differently is refused. So are names that would be unpacked elsewhere, names that come
// twice or in two spellings, encryption, and archives in several parts. Zip64 is read; what is
// written must do without.
//
// The writer copies members without unpacking them, headers included, and makes the same archive of
// the same input every time. Format: APPNOTE.TXT 6.3.10. Deflate is libdeflate's: whole buffers, so
// that a hostile stream can never fill more than it declared.
#pragma once

#include "base/bytes.h"
#include "io/temporary_file.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace tcfix::wheel {

/// One member; a view of the archive.
struct ZipMember {
  std::string name;
  uint64_t size = 0; ///< unpacked
  uint32_t crc = 0;
  uint16_t method = 0;

  Bytes header;            ///< local header with name and extra fields
  Bytes data;              ///< as stored, mostly compressed
  Bytes descriptor;        ///< what follows the data of a streamed member
  Bytes entry;             ///< in the central directory
  uint32_t wideOffset = 0; ///< where `entry` has its zip64 offset; 0 if it has none

  bool isFolder() const { return name.back() == '/'; }
};

class ZipReader {
public:
  /// Checks everything but the content of the members. `archive` must outlive the reader.
  static llvm::Expected<ZipReader> open(Bytes archive);

  llvm::ArrayRef<ZipMember> members() const { return memberList; } ///< in the directory's order
  const ZipMember* find(llvm::StringRef name) const;
  Bytes comment() const { return archiveComment; }

private:
  std::vector<ZipMember> memberList;
  llvm::StringMap<size_t> places;
  Bytes archiveComment;
};

/// A member's content, its checksum verified; refused when it is larger than `most`.
llvm::Expected<ByteVector> unpack(const ZipMember& member, uint64_t most = uint64_t(1) << 32);

class ZipWriter {
public:
  /// Writes into `file`, which must be empty and outlive the writer.
  explicit ZipWriter(io::TemporaryFile& file) : file(file) {}

  /// The member as it is; under another name if one is given.
  llvm::Error copy(const ZipMember& member, llvm::StringRef name = {});

  /// New content. Time, attributes and extra fields are those of `like`, and so is the question
  /// whether it is compressed at all.
  llvm::Error add(const ZipMember& like, llvm::StringRef name, Bytes content);

  /// Writes the directory: the archive is complete.
  llvm::Error finish(Bytes comment);

private:
  llvm::Error append(Bytes bytes);
  /// Notes the name and where the next member starts; refuses what cannot be said in 32 bits.
  llvm::Expected<uint32_t> begin(llvm::StringRef name);

  io::TemporaryFile& file;
  uint64_t end = 0;
  ByteVector directory;
  llvm::StringSet<> names;
};

} // namespace tcfix::wheel
