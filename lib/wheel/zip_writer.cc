#include "base/error.h"
#include "wheel/zip.h"
#include "wheel/zip_format.h"

#include <libdeflate.h>
#include <llvm/ADT/StringExtras.h>

#include <memory>

namespace tcfix::wheel {

using namespace zip;
using llvm::StringRef;

namespace {

// Level 6 is libdeflate's default; a given version produces the same bytes on every machine.
constexpr int kLevel = 6;

using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;

llvm::Error tooLarge() {
  return fail(ErrorCode::Unsupported,
              "would exceed the limits of a zip archive without zip64: 65,534 members and 4 GiB",
              "install the wheel and run tcfix apply");
}

/// The compressed content, or nothing if that is not smaller.
ByteVector deflated(Bytes content) {
  Compressor compressor(libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  ByteVector packed(content.size());
  packed.resize(libdeflate_deflate_compress(compressor.get(), content.data(), content.size(),
                                            packed.data(), packed.size()));
  return packed;
}

template <typename Record>
Record recordOf(Bytes bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

template <typename Record>
Bytes viewOf(const Record& record) {
  return {reinterpret_cast<const uint8_t*>(&record), sizeof record};
}

ByteVector concatenated(std::initializer_list<Bytes> pieces) {
  size_t size = 0;
  for (Bytes piece : pieces)
    size += piece.size();
  ByteVector bytes(size);
  uint8_t* at = bytes.data();
  for (Bytes piece : pieces)
    at = std::copy(piece.begin(), piece.end(), at);
  return bytes;
}

/// A header or an entry with another name.
template <typename Record>
ByteVector renamed(const Record& record, StringRef name, Bytes extra, Bytes comment = {}) {
  Record changed = record;
  changed.nameLength = static_cast<uint16_t>(name.size());
  changed.extraLength = static_cast<uint16_t>(extra.size());
  if (!llvm::isASCII(name))
    changed.flags = changed.flags | kUtf8;
  return concatenated({viewOf(changed), bytesOf(name), extra, comment});
}

/// Extra fields without zip64's, which the writer does not need.
ByteVector withoutWideExtra(Bytes extra) {
  ByteVector kept;
  while (std::optional<ExtraField> field = takeExtraField(extra))
    if (field->id != kWideExtra)
      llvm::append_range(kept, field->whole);
  return kept;
}

} // namespace

llvm::Error ZipWriter::append(Bytes bytes) {
  if (llvm::Error error = file.write(end, bytes, io::OnInterrupt::Stop))
    return error;
  end += bytes.size();
  return llvm::Error::success();
}

llvm::Expected<uint32_t> ZipWriter::begin(StringRef name) {
  if (!names.insert(name).second)
    return fail(ErrorCode::Conflict, "would contain the member " + name.str() + " twice");
  if (end >= kInWideExtra || names.size() >= kInWideEnd || name.size() > UINT16_MAX)
    return tooLarge();
  return static_cast<uint32_t>(end);
}

llvm::Error ZipWriter::copy(const ZipMember& member, StringRef name) {
  if (name.empty())
    name = member.name;
  llvm::Expected<uint32_t> offset = begin(name);
  if (!offset)
    return offset.takeError();
  Header header = recordOf<Header>(member.header);
  Entry entry = recordOf<Entry>(member.entry);
  ByteVector start(member.header), listed(member.entry);
  uint64_t wideOffset = member.wideOffset;
  if (name != member.name) {
    Bytes rest = member.entry.drop_front(sizeof(Entry) + entry.nameLength);
    start = renamed(header, name, member.header.drop_front(sizeof(Header) + header.nameLength));
    listed = renamed(entry, name, rest.take_front(entry.extraLength),
                     rest.drop_front(entry.extraLength));
    wideOffset = wideOffset ? wideOffset + name.size() - member.name.size() : 0;
  }
  if (wideOffset)
    llvm::support::endian::write64le(listed.data() + wideOffset, *offset);
  else
    llvm::support::endian::write32le(listed.data() + offsetof(Entry, offset), *offset);
  directory.insert(directory.end(), listed.begin(), listed.end());
  if (llvm::Error error = append(start))
    return error;
  if (llvm::Error error = append(member.data))
    return error;
  return append(member.descriptor);
}

llvm::Error ZipWriter::add(const ZipMember& like, StringRef name, Bytes content) {
  llvm::Expected<uint32_t> offset = begin(name);
  if (!offset)
    return offset.takeError();
  if (content.size() >= kInWideExtra)
    return tooLarge();
  ByteVector packed;
  if (like.method != kStored)
    packed = deflated(content);
  Bytes data = packed.empty() ? content : Bytes(packed);

  Header header = recordOf<Header>(like.header);
  Entry entry = recordOf<Entry>(like.entry);
  auto describe = [&](auto& record) {
    // Also clear the bits for the compression level, which describe the old data.
    record.flags = record.flags & kUtf8;
    record.version = 20;
    record.method = packed.empty() ? kStored : kDeflated;
    record.crc = libdeflate_crc32(0, content.data(), content.size());
    record.packedSize = static_cast<uint32_t>(data.size());
    record.size = static_cast<uint32_t>(content.size());
  };
  describe(header);
  describe(entry);
  entry.offset = *offset;
  entry.commentLength = 0;
  Bytes extra = like.entry.slice(sizeof(Entry) + like.name.size(), entry.extraLength);
  Bytes localExtra = like.header.drop_front(sizeof(Header) + like.name.size());
  ByteVector listed = renamed(entry, name, withoutWideExtra(extra));
  directory.insert(directory.end(), listed.begin(), listed.end());
  if (llvm::Error error = append(renamed(header, name, withoutWideExtra(localExtra))))
    return error;
  return append(data);
}

llvm::Error ZipWriter::finish(Bytes comment) {
  if (end >= kInWideExtra || directory.size() >= kInWideExtra)
    return tooLarge();
  End last = {};
  last.mark = kEndMark;
  last.count = static_cast<uint16_t>(names.size());
  last.countHere = last.count;
  last.directorySize = static_cast<uint32_t>(directory.size());
  last.directoryOffset = static_cast<uint32_t>(end);
  last.commentLength = static_cast<uint16_t>(comment.size());
  if (llvm::Error error = append(directory))
    return error;
  if (llvm::Error error = append(viewOf(last)))
    return error;
  return append(comment);
}

} // namespace tcfix::wheel
