// Zip archives: reads a wheel, writes another one in which most members are unchanged.
//
// The reader is strict. Members, central directory and end record must follow one another without
// gap or overlap, and each member's two headers must agree: an archive that two programs could read
// differently is rejected. So are names that would be extracted elsewhere, duplicate names and
// names in two spellings, encryption, and multi-part archives. Zip64 is supported for reading only.
//
// The writer copies members, including their headers, without decompressing them, and its output is
// deterministic. Format: APPNOTE.TXT 6.3.10. Deflate is libdeflate's, which works on whole buffers,
// so a malicious stream cannot produce more than its declared size.
#pragma once

#include "base/bytes.h"
#include "io/temporary_file.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

namespace tcfix::wheel {

/// One member; a view of the archive.
struct ZipMember {
  std::string name;
  uint64_t size = 0; ///< uncompressed
  uint32_t crc = 0;
  uint16_t method = 0;

  Bytes header;            ///< local header with name and extra fields
  Bytes data;              ///< as stored, usually compressed
  Bytes descriptor;        ///< what follows the data of a streamed member
  Bytes entry;             ///< in the central directory
  uint32_t wideOffset = 0; ///< position of the zip64 offset in `entry`; 0 if it has none

  bool isFolder() const { return name.back() == '/'; }
};

class ZipReader {
public:
  /// Checks everything except the content of the members. `archive` must outlive the reader.
  static llvm::Expected<ZipReader> open(Bytes archive);

  llvm::ArrayRef<ZipMember> members() const { return memberList; } ///< in the directory's order
  const ZipMember* find(llvm::StringRef name) const;
  Bytes comment() const { return archiveComment; }

private:
  std::vector<ZipMember> memberList;
  llvm::StringMap<size_t> places;
  Bytes archiveComment;
};

/// A member's content, with its checksum verified. Fails if it is larger than `most`.
llvm::Expected<ByteVector> unpack(const ZipMember& member, uint64_t most = uint64_t(1) << 32);

class ZipWriter {
public:
  /// Writes into `file`, which must be empty and outlive the writer.
  explicit ZipWriter(io::TemporaryFile& file) : file(file) {}

  /// Copies a member unchanged; with another name if one is given.
  llvm::Error copy(const ZipMember& member, llvm::StringRef name = {});

  /// Adds a member with new content. Time, attributes, extra fields and whether it is compressed
  /// are taken from `like`.
  llvm::Error add(const ZipMember& like, llvm::StringRef name, Bytes content);

  /// Completes the archive by writing the directory.
  llvm::Error finish(Bytes comment);

private:
  llvm::Error append(Bytes bytes);
  /// Records the name and offset of the next member; fails if the offset needs more than 32 bits.
  llvm::Expected<uint32_t> begin(llvm::StringRef name);

  io::TemporaryFile& file;
  uint64_t end = 0;
  ByteVector directory;
  llvm::StringSet<> names;
};

} // namespace tcfix::wheel
