// Any wheel is either refused or repaired into one that can be read and has a correct RECORD.
//
// A mutated archive would have wrong checksums. The input is therefore the platform, as its first
// byte, and the members: name and content, each after its length. They are packed into an archive
// here, with correct checksums and, unless a member has that name, a correct RECORD. fuzz_zip reads
// corrupt archives.
#include "fuzz/directory.h"

#include "env/record.h"
#include "io/digest.h"
#include "wheel/contents.h"
#include "wheel/repair.h"

#include <llvm/ADT/STLExtras.h>

#include <libdeflate.h>

using namespace tcfix;

namespace {

struct Member {
  std::string name;
  ByteVector content;
};

constexpr const char* kInfo = "torchcodec-0.9.1.dist-info";

template <typename Number>
void add(ByteVector& bytes, Number number) {
  for (size_t i = 0; i < sizeof number; ++i)
    bytes.push_back(static_cast<uint8_t>(number >> 8 * i));
}

/// The fields that a stored member has in both its local header and its central directory entry.
void addCommon(ByteVector& bytes, const Member& member) {
  add<uint16_t>(bytes, 20);
  add<uint32_t>(bytes, 0);          // flags, method
  add<uint32_t>(bytes, 0x58210000); // time, date
  add<uint32_t>(bytes, libdeflate_crc32(0, member.content.data(), member.content.size()));
  add<uint32_t>(bytes, member.content.size());
  add<uint32_t>(bytes, member.content.size());
  add<uint16_t>(bytes, member.name.size());
  add<uint16_t>(bytes, 0);
}

ByteVector archiveOf(llvm::ArrayRef<Member> members) {
  ByteVector archive, directory;
  for (const Member& member : members) {
    const uint32_t offset = archive.size();
    add<uint32_t>(archive, 0x04034b50);
    addCommon(archive, member);
    archive.insert(archive.end(), member.name.begin(), member.name.end());
    archive.insert(archive.end(), member.content.begin(), member.content.end());
    add<uint32_t>(directory, 0x02014b50);
    add<uint16_t>(directory, 20);
    addCommon(directory, member);
    add<uint32_t>(directory, 0); // comment, disk
    add<uint16_t>(directory, 0);
    add<uint32_t>(directory, 0100644u << 16);
    add<uint32_t>(directory, offset);
    directory.insert(directory.end(), member.name.begin(), member.name.end());
  }
  const uint32_t start = archive.size(), length = directory.size();
  archive.insert(archive.end(), directory.begin(), directory.end());
  add<uint32_t>(archive, 0x06054b50);
  add<uint32_t>(archive, 0);
  add<uint16_t>(archive, members.size());
  add<uint16_t>(archive, members.size());
  add<uint32_t>(archive, length);
  add<uint32_t>(archive, start);
  add<uint16_t>(archive, 0);
  return archive;
}

std::vector<Member> membersIn(Bytes rest) {
  std::vector<Member> members;
  auto has = [&](const std::string& name) {
    return llvm::any_of(members, [&](const Member& member) { return member.name == name; });
  };
  while (!rest.empty() && members.size() < 8) {
    std::string name = textOf(fuzz::takePart(rest)).str();
    members.push_back({std::move(name), fuzz::takePart(rest).vec()});
  }
  const std::string metadata = std::string(kInfo) + "/METADATA",
                    list = std::string(kInfo) + "/RECORD";
  if (!has(metadata))
    members.push_back(
        {metadata, bytesOf("Metadata-Version: 2.1\nName: torchcodec\nVersion: 0.9.1\n").vec()});
  if (!has(list)) {
    std::string text;
    for (const Member& member : members)
      text += member.name + "," + env::recordDigest(io::sha256Hex(member.content)) + "," +
              std::to_string(member.content.size()) + "\n";
    members.push_back({list, bytesOf(text + list + ",,\n").vec()});
  }
  return members;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Directory directory;
  constexpr const char* kPlatforms[] = {"macosx_11_0_arm64", "manylinux_2_28_x86_64", "win_amd64"};
  if (size == 0)
    return 0;
  const std::string name =
      std::string("torchcodec-0.9.1-cp312-cp312-") + kPlatforms[data[0] % 3] + ".whl";
  const std::string path =
      directory.write(name, archiveOf(membersIn(Bytes(data, size).drop_front())));
  wheel::RepairOptions options;
  options.outputFolder = directory.path + "/out";
  const auto notify = [](const std::string&) {};
  for (const wheel::WheelOutcome& outcome : wheel::repairWheels(path, options, notify)) {
    if (!outcome.isWritten)
      continue;
    llvm::Expected<wheel::Contents> made = wheel::Contents::open(outcome.output);
    fuzz::expect(bool(made), "a repaired wheel can be read");
    for (const wheel::ZipMember& member : made->members())
      if (member.name != made->distInfo() + "/RECORD" && made->record().find(member.name))
        fuzz::expect(fuzz::succeeds(made->read(member)), "its RECORD has the right hashes");
  }
  std::error_code error;
  std::filesystem::remove_all(options.outputFolder, error);
  return 0;
}
