#include "base/error.h"
#include "wheel/zip.h"
#include "wheel/zip_format.h"

#include <libdeflate.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <numeric>

namespace tcfix::wheel {

using namespace zip;
using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral kPackAgain = "unpack it and repack it, stored or deflated";

llvm::Error malformed(const llvm::Twine& message) {
  return fail(ErrorCode::Malformed, message.str(),
              "corrupt or malicious archive; download it again");
}

llvm::Error malformed(const ZipMember& member, const llvm::Twine& message) {
  return malformed("member " + member.name + " " + message);
}

/// The record at an offset; null if it is out of bounds.
template <typename Record>
const Record* recordAt(Bytes bytes, uint64_t offset) {
  std::optional<Bytes> found = part(bytes, offset, sizeof(Record));
  return found ? reinterpret_cast<const Record*>(found->data()) : nullptr;
}

/// The position of the central directory, and what follows it.
struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
  Bytes comment;
};

// A field of the end record that zip64 may replace: it must be the marker for that, or equal.
bool agrees(uint64_t narrow, uint64_t mark, uint64_t wide) {
  return narrow == mark || narrow == wide;
}

// Reads zip64's end record, if there is one; its locator directly precedes the end record.
llvm::Expected<bool> readWideEnd(Bytes archive, uint64_t endOffset, const End& end,
                                 Directory& directory) {
  if (endOffset < sizeof(WideLocator))
    return false;
  uint64_t locatorOffset = endOffset - sizeof(WideLocator);
  const WideLocator* locator = recordAt<WideLocator>(archive, locatorOffset);
  if (!locator || locator->mark != kWideLocatorMark)
    return false;
  const WideEnd* wide = recordAt<WideEnd>(archive, locator->endOffset);
  if (!wide || wide->mark != kWideEndMark || locator->disks > 1 || wide->disk != 0 ||
      wide->directoryDisk != 0 || wide->countHere != wide->count ||
      wide->restSize != sizeof(WideEnd) - 12 ||
      locator->endOffset != locatorOffset - sizeof(WideEnd))
    return malformed("has an invalid zip64 end record");
  if (!agrees(end.count, kInWideEnd, wide->count) ||
      !agrees(end.directorySize, kInWideExtra, wide->directorySize) ||
      !agrees(end.directoryOffset, kInWideExtra, wide->directoryOffset))
    return malformed("has two inconsistent end records");
  directory = {wide->directoryOffset, wide->directorySize, wide->count, directory.comment};
  if (!fits(directory.offset, directory.size, locator->endOffset) ||
      directory.offset + directory.size != locator->endOffset)
    return malformed("has extra bytes between its directory and its end record");
  return true;
}

// The end record is the last match, and its comment must end the file: otherwise some programs
// would use another one.
llvm::Expected<Directory> findDirectory(Bytes archive) {
  constexpr char kMark[] = {'P', 'K', 5, 6};
  Bytes tail = archive.take_back(sizeof(End) + UINT16_MAX);
  size_t found = textOf(tail).rfind(StringRef(kMark, sizeof kMark));
  if (found == StringRef::npos)
    return malformed("is not a zip archive, or is truncated");
  found += archive.size() - tail.size();
  const End* end = recordAt<End>(archive, found);
  if (!end || found + sizeof(End) + end->commentLength != archive.size())
    return malformed("is truncated, or has extra bytes at its end");
  if (end->disk != 0 || end->directoryDisk != 0 || end->countHere != end->count)
    return fail(ErrorCode::Unsupported, "is part of a multi-part archive", kPackAgain.str());
  Directory directory{end->directoryOffset, end->directorySize, end->count,
                      archive.drop_front(found + sizeof(End))};
  llvm::Expected<bool> isWide = readWideEnd(archive, found, *end, directory);
  if (!isWide)
    return isWide.takeError();
  if (!*isWide && (!fits(directory.offset, directory.size, found) ||
                   directory.offset + directory.size != found))
    return malformed("has no directory at the offset given in its end record");
  return directory;
}

// Unsafe names would be extracted outside of the directory, or mean something else on another
// system.
bool isSafeName(StringRef name, bool isUtf8) {
  if (name.empty() || name.front() == '/' || name.contains('\\') || name.substr(1, 1) == ":" ||
      llvm::any_of(name, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return false;
  const auto* start = reinterpret_cast<const llvm::UTF8*>(name.begin());
  if (isUtf8 ? !llvm::isLegalUTF8String(&start, reinterpret_cast<const llvm::UTF8*>(name.end()))
             : !llvm::isASCII(name))
    return false;
  name.consume_back("/");
  return llvm::none_of(llvm::split(name, '/'), [](StringRef piece) {
    return piece.empty() || piece == "." || piece == "..";
  });
}

/// Sizes and offset, which zip64 moves to an extra field if they do not fit.
struct Place {
  uint64_t size, packedSize, offset;
};

// Some readers prefer the name in Info-ZIP's extra field, if its checksum matches the name in the
// record; others, such as Python before 3.12, ignore the field.
bool hasAnotherName(Bytes extra, StringRef name) {
  while (std::optional<ExtraField> field = takeExtraField(extra)) {
    const UnicodeName* record = recordAt<UnicodeName>(field->data, 0);
    if (field->id == kUnicodeName && record && record->version == 1 &&
        record->crc == libdeflate_crc32(0, name.data(), name.size()) &&
        textOf(field->data.drop_front(sizeof(UnicodeName))) != name)
      return true;
  }
  return false;
}

// Replaces fields with the marker by the values in zip64's extra field, which are in this order.
// Sets `wideOffset` to the position of the offset in `extra`, if it has one. False if a value is
// missing.
bool readWideExtra(Bytes extra, Place& place, uint32_t& wideOffset) {
  uint64_t* wanted[] = {&place.size, &place.packedSize, &place.offset};
  if (llvm::none_of(wanted, [](uint64_t* value) { return *value == kInWideExtra; }))
    return true;
  Bytes rest = extra;
  while (std::optional<ExtraField> field = takeExtraField(rest)) {
    if (field->isCutOff)
      return false;
    if (field->id != kWideExtra)
      continue;
    Bytes values = field->data;
    for (uint64_t* value : wanted) {
      if (*value != kInWideExtra)
        continue;
      const U64* wide = recordAt<U64>(values, 0);
      if (!wide)
        return false;
      *value = *wide;
      if (value == &place.offset)
        wideOffset = static_cast<uint32_t>(values.data() - extra.data());
      values = values.drop_front(sizeof(U64));
    }
    return true;
  }
  return false;
}

// The local header must match the directory's entry.
bool headersAgree(const Header& header, Bytes whole, const Entry& entry, const ZipMember& member,
                  const Place& place) {
  StringRef name = textOf(whole.slice(sizeof(Header), header.nameLength));
  if (header.flags != entry.flags || header.method != entry.method || name != member.name)
    return false;
  Place local{header.size, header.packedSize, 0};
  uint32_t ignored;
  if (!readWideExtra(whole.drop_front(sizeof(Header) + header.nameLength), local, ignored))
    return false;
  // Values unknown at the start of a streamed member are 0; Info-ZIP writes the size.
  auto matches = [&](uint64_t stored, uint64_t known) {
    return stored == known || (stored == 0 && header.flags & kStreamed);
  };
  return matches(header.crc, member.crc) && matches(local.size, place.size) &&
         matches(local.packedSize, place.packedSize);
}

// What follows the data of a streamed member: an optional mark, the checksum, sizes of 4 or 8
// bytes.
bool isDescriptor(Bytes bytes, const ZipMember& member) {
  using namespace llvm::support::endian;
  if (bytes.size() == 16 || bytes.size() == 24) {
    if (read32le(bytes.data()) != kDescriptorMark)
      return false;
    bytes = bytes.drop_front(4);
  }
  const uint8_t* at = bytes.data();
  if (bytes.size() == 12)
    return read32le(at) == member.crc && read32le(at + 4) == member.data.size() &&
           read32le(at + 8) == member.size;
  return bytes.size() == 20 && read32le(at) == member.crc &&
         read64le(at + 4) == member.data.size() && read64le(at + 12) == member.size;
}

// Removes one entry from the front of the directory.
llvm::Error readEntry(Bytes& entries, ZipMember& member, Place& place) {
  const Entry* entry = recordAt<Entry>(entries, 0);
  if (!entry || entry->mark != kEntryMark)
    return malformed("has a corrupt directory");
  uint64_t extraStart = sizeof(Entry) + entry->nameLength;
  uint64_t length = extraStart + entry->extraLength + entry->commentLength;
  if (length > entries.size())
    return malformed("has a corrupt directory");
  member.entry = entries.take_front(length);
  entries = entries.drop_front(length);

  StringRef name = textOf(member.entry.slice(sizeof(Entry), entry->nameLength));
  if (!isSafeName(name, entry->flags & kUtf8)) {
    std::string shown;
    llvm::raw_string_ostream(shown).write_escaped(name);
    return malformed("has a member with an unsafe name: \"" + shown + "\"");
  }
  member.name = name.str();
  if (hasAnotherName(member.entry.slice(extraStart, entry->extraLength), name))
    return malformed(member, "has two different names");
  member.crc = entry->crc;
  member.method = entry->method;
  if (entry->flags & (kEncrypted | kStronglyEncrypted | kMasked))
    return fail(ErrorCode::Unsupported, "member " + member.name + " is encrypted",
                kPackAgain.str());
  // Python's zipfile rejects an archive with such a member, so pip could not install the wheel.
  if (int needed = entry->version & 0xff; needed > kMaxVersion)
    return fail(ErrorCode::Unsupported,
                "member " + member.name + " needs unknown zip version " +
                    std::to_string(needed / 10) + "." + std::to_string(needed % 10),
                kPackAgain.str());
  place = {entry->size, entry->packedSize, entry->offset};
  if (!readWideExtra(member.entry.slice(extraStart, entry->extraLength), place, member.wideOffset))
    return malformed(member, "has invalid sizes");
  if (member.wideOffset != 0)
    member.wideOffset += static_cast<uint32_t>(extraStart);
  member.size = place.size;
  return llvm::Error::success();
}

// Finds header, data and descriptor in `room`, the bytes up to the next member.
llvm::Error readLocal(Bytes room, ZipMember& member, const Place& place) {
  const Entry& entry = *recordAt<Entry>(member.entry, 0);
  const Header* header = recordAt<Header>(room, place.offset);
  if (!header || header->mark != kHeaderMark)
    return malformed(member,
                     "is not at the offset given in the directory, or overlaps another one");
  std::optional<Bytes> whole =
      part(room, place.offset, sizeof(Header) + header->nameLength + header->extraLength);
  if (!whole)
    return malformed(member, "is truncated, or overlaps another one");
  std::optional<Bytes> data = part(room, place.offset + whole->size(), place.packedSize);
  if (!data)
    return malformed(member, "is truncated, or overlaps another one");
  member.header = *whole;
  member.data = *data;
  if (hasAnotherName(whole->drop_front(sizeof(Header) + header->nameLength), member.name))
    return malformed(member, "has two different names");
  if (!headersAgree(*header, *whole, entry, member, place))
    return malformed(member, "has two inconsistent headers");
  member.descriptor = room.drop_front(place.offset + whole->size() + data->size());
  if (entry.flags & kStreamed ? !isDescriptor(member.descriptor, member)
                              : !member.descriptor.empty())
    return malformed(member, "is followed by extra bytes");
  return llvm::Error::success();
}

using Decompressor =
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

llvm::Error inflate(const ZipMember& member, ByteVector& content) {
  // Deflate's longest match, 258 bytes, takes at least two bits.
  constexpr uint64_t kBestRatio = 1032;
  if (member.size / kBestRatio > member.data.size())
    return malformed(member, "has an impossible size for its data");
  Decompressor decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  content.resize(member.size);
  size_t used = 0, made = 0;
  if (libdeflate_deflate_decompress_ex(decompressor.get(), member.data.data(), member.data.size(),
                                       content.data(), content.size(), &used,
                                       &made) != LIBDEFLATE_SUCCESS ||
      used != member.data.size() || made != content.size())
    return malformed(member, "has corrupt data");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ZipReader> ZipReader::open(Bytes archive) {
  llvm::Expected<Directory> directory = findDirectory(archive);
  if (!directory)
    return directory.takeError();
  ZipReader reader;
  reader.archiveComment = directory->comment;
  Bytes entries = archive.slice(directory->offset, directory->size);
  std::vector<Place> places;
  while (!entries.empty()) {
    ZipMember member;
    Place place;
    if (llvm::Error error = readEntry(entries, member, place))
      return error;
    if (!reader.places.try_emplace(member.name, places.size()).second)
      return malformed(member, "occurs twice");
    places.push_back(place);
    reader.memberList.push_back(std::move(member));
  }
  if (places.size() != directory->count)
    return malformed("has " + llvm::Twine(places.size()) + " members in its directory instead of " +
                     llvm::Twine(directory->count));

  // From last to first: each must end where the next one starts.
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) { return places[a].offset > places[b].offset; });
  uint64_t end = directory->offset;
  for (size_t i : order) {
    if (llvm::Error error = readLocal(archive.take_front(end), reader.memberList[i], places[i]))
      return error;
    end = places[i].offset;
  }
  if (end != 0)
    return malformed("starts with extra bytes");
  return reader;
}

const ZipMember* ZipReader::find(StringRef name) const {
  auto found = places.find(name);
  return found == places.end() ? nullptr : &memberList[found->second];
}

llvm::Expected<ByteVector> unpack(const ZipMember& member, uint64_t most) {
  if (member.size > most)
    return fail(ErrorCode::Unsupported,
                "member " + member.name + " has " + std::to_string(member.size) +
                    " bytes, more than the limit of " + std::to_string(most),
                "if that size is correct, install the wheel and run tcfix apply");
  ByteVector content;
  if (member.method == kStored && member.data.size() == member.size)
    content = member.data.vec();
  else if (member.method == kStored)
    return malformed(member, "has two inconsistent sizes");
  else if (member.method != kDeflated)
    return fail(ErrorCode::Unsupported,
                "member " + member.name + " uses an unsupported compression method (" +
                    std::to_string(member.method) + ")",
                kPackAgain.str());
  else if (llvm::Error error = inflate(member, content))
    return error;
  if (libdeflate_crc32(0, content.data(), content.size()) != member.crc)
    return malformed(member, "has corrupt data: wrong checksum");
  return content;
}

} // namespace tcfix::wheel
