// Zip archives, corrupted by every flipped bit and every lost byte.

#include "base/error.h"
#include "support/byte_writer.h"
#include "support/guarded_bytes.h"
#include "support/places.h"
#include "support/temporary_folder.h"
#include "wheel/zip.h"

#include <gmock/gmock.h>

#include <map>

namespace tcfix::support {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A member of an archive built by hand.
struct Made {
  std::string name;
  std::string content;
  std::string packed = {}; ///< deflated; empty: stored
  bool isStreamed = false;
  bool isWide = false;        ///< sizes and offset in zip64's extra field
  bool hasSize = false;       ///< streamed, but the unpacked size is in the local header
  std::string otherName = {}; ///< in Info-ZIP's extra field, in the directory
};

// Python: zlib.compressobj(wbits=-15) of forty times "abcdefgh".
const std::string kDeflated("\x4b\x4c\x4a\x4e\x49\x4d\x4b\xcf\x48\x1c\xa5\xc9\xa2\x01", 14);
const Made kPlain{"demo/plain.txt", "plain text"};
const Made kPacked{"demo/packed.txt",
                   [] {
                     std::string text;
                     for (int i = 0; i < 40; ++i)
                       text += "abcdefgh";
                     return text;
                   }(),
                   kDeflated};

uint32_t checksumOf(llvm::StringRef text) {
  uint32_t crc = 0xffffffff;
  for (unsigned char c : text) {
    crc ^= c;
    for (int i = 0; i < 8; ++i)
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

ByteVector archiveOf(const std::vector<Made>& members, llvm::StringRef comment = {}) {
  ByteWriter out(true), directory(true);
  for (const Made& member : members) {
    const std::string& data = member.packed.empty() ? member.content : member.packed;
    uint32_t crc = checksumOf(member.content), offset = out.size();
    bool isLate = member.isStreamed;
    auto common = [&](ByteWriter& to, bool isEntry) {
      to.u16(member.isWide ? 45 : 20);
      to.u16(isLate ? 8 : 0);
      to.u16(member.packed.empty() ? 0 : 8);
      to.u32(0x58210000); // a time
      bool isHidden = isLate && !isEntry;
      to.u32(isHidden ? 0 : crc);
      to.u32(isHidden ? 0 : member.isWide ? 0xffffffff : data.size());
      to.u32(isHidden && !member.hasSize ? 0 : member.isWide ? 0xffffffff : member.content.size());
      to.u16(member.name.size());
    };
    out.u32(0x04034b50);
    common(out, false);
    out.u16(member.isWide ? 20 : 0);
    out.text(member.name);
    directory.u32(0x02014b50);
    directory.u16(0x031e);
    common(directory, true);
    size_t otherSize = member.otherName.empty() ? 0 : 9 + member.otherName.size();
    directory.u16((member.isWide ? 28 : 0) + otherSize);
    directory.padTo(directory.size() + 2 + 2 + 2);
    directory.u32(0100644u << 16);
    directory.u32(member.isWide ? 0xffffffff : offset);
    directory.text(member.name);
    for (ByteWriter* to : {&out, &directory}) {
      if (!member.isWide)
        continue;
      to->u16(1);
      to->u16(to == &out ? 16 : 24);
      to->u64(member.content.size());
      to->u64(data.size());
    }
    if (member.isWide)
      directory.u64(offset);
    if (otherSize) {
      directory.u16(0x7075);
      directory.u16(otherSize - 4);
      directory.u8(1);
      directory.u32(checksumOf(member.name));
      directory.text(member.otherName);
    }
    out.text(data);
    if (isLate) {
      out.u32(0x08074b50);
      out.u32(crc);
      out.u32(data.size());
      out.u32(member.content.size());
    }
  }
  uint32_t start = out.size();
  out.raw(directory.bytes);
  out.u32(0x06054b50);
  out.u32(0);
  out.u16(members.size());
  out.u16(members.size());
  out.u32(directory.size());
  out.u32(start);
  out.u16(comment.size());
  out.text(comment);
  return out.bytes;
}

Problem problemWith(Bytes archive) {
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(archive);
  if (!reader)
    return toProblem(reader.takeError(), {});
  ADD_FAILURE() << "should have been refused";
  return {};
}

std::map<std::string, std::string> contentsOf(Bytes archive) {
  std::map<std::string, std::string> contents;
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(archive);
  if (!reader) {
    ADD_FAILURE() << llvm::toString(reader.takeError());
    return contents;
  }
  for (const wheel::ZipMember& member : reader->members()) {
    llvm::Expected<ByteVector> content = wheel::unpack(member);
    contents[member.name] = content ? textOf(*content).str() : llvm::toString(content.takeError());
  }
  return contents;
}

const std::vector<Made> kAllKinds = {kPlain,
                                     kPacked,
                                     {"streamed", kPacked.content, kDeflated, true},
                                     {"wide", "wide", {}, false, true},
                                     // as "zip -r - dir | cat" does
                                     {"sized", kPacked.content, kDeflated, true, false, true}};

TEST(Zip, ReadsStoredDeflatedStreamedAndZip64Members) {
  std::map<std::string, std::string> contents = contentsOf(archiveOf(kAllKinds, "a comment"));
  for (const Made& member : kAllKinds)
    EXPECT_EQ(contents[member.name], member.content) << member.name;
}

TEST(Zip, ACopyOfEverythingIsTheSameFile) {
  TemporaryFolder folder;
  ByteVector archive = archiveOf(kAllKinds, "a comment");
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(archive);
  ASSERT_TRUE(bool(reader));
  auto file =
      llvm::cantFail(io::TemporaryFile::createIn(placeOf(folder.path("copy.zip")).directory));
  wheel::ZipWriter writer(file);
  for (const wheel::ZipMember& member : reader->members())
    ASSERT_FALSE(bool(writer.copy(member)));
  EXPECT_EQ(folder.names().size(), 1u) << "the archive must not exist before it is complete";
  ASSERT_FALSE(bool(writer.finish(reader->comment())));
  ASSERT_FALSE(bool(file.renameTo("copy.zip")));
  EXPECT_THAT(folder.names(), ElementsAre("copy.zip"));
  EXPECT_EQ(readFile(folder.path("copy.zip")), archive);
}

TEST(Zip, WritesNoNameTwice) {
  TemporaryFolder folder;
  ByteVector archive = archiveOf({kPlain, kPacked});
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(archive);
  ASSERT_TRUE(bool(reader));
  auto file =
      llvm::cantFail(io::TemporaryFile::createIn(placeOf(folder.path("copy.zip")).directory));
  wheel::ZipWriter writer(file);
  ASSERT_FALSE(bool(writer.copy(reader->members()[0])));
  Problem problem = toProblem(writer.copy(reader->members()[1], kPlain.name), {});
  EXPECT_EQ(problem.code, ErrorCode::Conflict);
}

TEST(Zip, RefusesUnsafeNames) {
  for (const char* name : {"/etc/passwd", "../x", "a/../../x", "a\\b", "C:/x", "a//b", "./a", "a/.",
                           "..", "", "a\nb", "caf\xc3\xa9" /* not said to be UTF-8 */}) {
    Problem problem = problemWith(archiveOf({{name, "x"}}));
    EXPECT_EQ(problem.code, ErrorCode::Malformed) << name;
    EXPECT_THAT(problem.message, HasSubstr("unsafe name")) << name;
  }
}

// unzip and Python 3.12 use the other name, older versions the usual one.
TEST(Zip, RefusesAMemberWithTwoNames) {
  Made member = kPlain;
  member.otherName = "../../evil.py";
  EXPECT_THAT(problemWith(archiveOf({member})).message, HasSubstr("has two different names"));
  member.otherName = member.name;
  EXPECT_EQ(contentsOf(archiveOf({member}))[member.name], member.content);
}

TEST(Zip, RefusesTheSameNameTwice) {
  EXPECT_THAT(problemWith(archiveOf({kPlain, kPacked, kPlain})).message,
              HasSubstr("demo/plain.txt occurs twice"));
}

TEST(Zip, RefusesExtraBytes) {
  ByteVector archive = archiveOf({kPlain});
  ByteVector before = archive, after = archive;
  before.insert(before.begin(), 4, 'x');
  after.push_back(0);
  EXPECT_EQ(problemWith(before).code, ErrorCode::Malformed);
  EXPECT_THAT(problemWith(after).message, HasSubstr("has extra bytes at its end"));
  EXPECT_THAT(problemWith(archiveOf({kPlain}, "PK\5\6 in a comment")).message,
              HasSubstr("has extra bytes at its end"));
  EXPECT_THAT(problemWith(bytesOf("no archive")).message, HasSubstr("not a zip archive"));
  EXPECT_THAT(problemWith({}).message, HasSubstr("not a zip archive"));
}

// Same as Python's zipfile, which must be able to open what is repaired.
TEST(Zip, RefusesAnUnknownVersion) {
  for (int version : {20, 63, 64, 255}) {
    ByteVector archive = archiveOf({kPlain});
    for (auto [mark, offset] : {std::pair("PK\3\4", 4), std::pair("PK\1\2", 6)})
      archive[textOf(archive).find(mark) + offset] = static_cast<uint8_t>(version);
    if (version <= 63)
      EXPECT_EQ(contentsOf(archive)[kPlain.name], kPlain.content) << version;
    else
      EXPECT_THAT(problemWith(archive).message, HasSubstr("needs unknown zip version")) << version;
  }
}

TEST(Zip, RefusesAnInvalidSize) {
  Made bomb = kPacked;
  bomb.content.resize(kDeflated.size() * 1032 + 2000);
  EXPECT_THAT(contentsOf(archiveOf({bomb}))[bomb.name], HasSubstr("impossible size for its data"));
  ByteVector archive = archiveOf({kPacked});
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(archive);
  ASSERT_TRUE(bool(reader));
  EXPECT_EQ(toProblem(wheel::unpack(reader->members()[0], 319).takeError(), {}).code,
            ErrorCode::Unsupported);
  EXPECT_TRUE(bool(wheel::unpack(reader->members()[0], 320)));
}

// Every flipped bit is detected, or affects only times and attributes.
TEST(Zip, NoFlippedBitGivesWrongContent) {
  TemporaryFolder folder;
  ByteVector archive = archiveOf(kAllKinds, "!");
  std::map<std::string, std::string> good = contentsOf(archive);
  size_t refused = 0;
  for (size_t bit = 0; bit < archive.size() * 8; ++bit) {
    ByteVector damaged = archive;
    damaged[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    GuardedBytes guarded(damaged);
    llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(guarded);
    if (!reader) {
      llvm::consumeError(reader.takeError());
      ++refused;
      continue;
    }
    auto file =
        llvm::cantFail(io::TemporaryFile::createIn(placeOf(folder.path("copy.zip")).directory));
    wheel::ZipWriter writer(file);
    for (const wheel::ZipMember& member : reader->members()) {
      ASSERT_TRUE(good.count(member.name)) << "bit " << bit;
      ASSERT_FALSE(bool(writer.copy(member, member.name + "2")));
      ASSERT_FALSE(bool(writer.add(member, member.name, member.data)));
      llvm::Expected<ByteVector> content = wheel::unpack(member);
      if (content)
        EXPECT_EQ(textOf(*content), good[member.name]) << "bit " << bit;
      else
        llvm::consumeError(content.takeError());
    }
  }
  EXPECT_GT(refused, archive.size() * 8 / 3);
}

TEST(Zip, RefusesEveryTruncation) {
  ByteVector archive = archiveOf(kAllKinds);
  for (size_t size = 0; size < archive.size(); ++size) {
    GuardedBytes guarded(Bytes(archive).take_front(size));
    EXPECT_EQ(problemWith(guarded).code, ErrorCode::Malformed) << size;
    if (size > 0) {
      GuardedBytes tail(Bytes(archive).take_back(size));
      EXPECT_NE(problemWith(tail).message, "") << size;
    }
  }
}

} // namespace
} // namespace tcfix::support
