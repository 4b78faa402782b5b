#include "wheel/output.h"

#include "base/error.h"
#include "commit/transaction.h"
#include "env/distribution.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::wheel {

namespace {

bool hasLocalVersion(const Contents& wheel) {
  return llvm::StringRef(wheel.version()).contains('+');
}

/// Renames members whose path contains the version: those in the .dist-info and .data directories.
class Renaming {
public:
  explicit Renaming(const Contents& wheel) {
    llvm::StringRef distInfo = wheel.distInfo();
    distInfo.consume_back(".dist-info");
    auto [name, version] = distInfo.split('-');
    before = distInfo.str();
    after = name.str() + "-" + repairedVersion(version, hasLocalVersion(wheel));
  }

  std::string operator()(llvm::StringRef member) const {
    llvm::StringRef rest = member;
    if (rest.consume_front(before) &&
        (rest.starts_with(".dist-info/") || rest.starts_with(".data/")))
      return after + rest.str();
    return member.str();
  }

private:
  std::string before, after;
};

std::string metadataOf(const Contents& wheel) {
  llvm::StringRef text = wheel.metadata(), old = env::metadataField(text, "Version");
  size_t at = static_cast<size_t>(old.data() - text.data());
  return text.take_front(at).str() + repairedVersion(old, hasLocalVersion(wheel)) +
         text.drop_front(at + old.size()).str();
}

} // namespace

llvm::Error checkRest(const Contents& wheel, const Changes& changes) {
  llvm::StringRef folder = wheel.distInfo();
  folder.consume_back(".dist-info");
  for (llvm::StringRef other : {llvm::StringRef(wheel.name().version), folder.split('-').second})
    if (!isSameVersion(other, wheel.version()))
      return fail(ErrorCode::Malformed,
                  "is not a valid wheel: version " + wheel.version() + " in METADATA, but " +
                      other.str() + " in a name",
                  "download it again; renaming a wheel does not change its version");
  uint64_t most = kMaxBytes; // for all members together: limits the time for a malicious archive
  for (const ZipMember& member : wheel.members()) {
    if (member.isFolder() || changes.contents.count(member.name))
      continue;
    llvm::Expected<ByteVector> content = wheel.read(member, most);
    if (!content)
      return content.takeError();
    most -= content->size();
  }
  return llvm::Error::success();
}

WheelName repairedName(const Contents& wheel) {
  WheelName name = wheel.name();
  name.version = repairedVersion(name.version, hasLocalVersion(wheel));
  return name;
}

llvm::Expected<bool> writeWheel(const Contents& wheel, Changes changes, io::Place place,
                                bool isProtected) {
  const Renaming renamed(wheel);
  const std::string like = changes.contents.begin()->first;
  std::map<std::string, ByteVector>& contents = changes.contents;
  contents[wheel.distInfo() + "/METADATA"] = bytesOf(metadataOf(wheel)).vec();

  env::Record record = wheel.record();
  auto list = [&](const std::string& name, Bytes content) {
    record.set(name, env::recordDigest(io::sha256Hex(content)), content.size());
  };
  for (const auto& [name, content] : contents)
    list(name, content);
  for (const auto& [name, content] : changes.additions)
    list(name, content);
  record.rename(renamed);
  contents[wheel.distInfo() + "/RECORD"] = bytesOf(record.text()).vec();

  llvm::Expected<io::InputFile> present = io::InputFile::open(place.path);
  const io::InputFile* old = present ? &*present : nullptr;
  llvm::consumeError(present.takeError()); // usually there is none; other errors: see the rename
  llvm::Expected<commit::Step> step = commit::Step::create(old, std::move(place));
  if (!step)
    return step.takeError();
  ZipWriter writer(*step->staged());
  for (const ZipMember& member : wheel.members()) {
    auto changed = contents.find(member.name);
    std::string name = renamed(member.name);
    if (llvm::Error error = changed == contents.end() ? writer.copy(member, name)
                                                      : writer.add(member, name, changed->second))
      return error;
    if (member.name == like)
      for (const auto& [added, content] : changes.additions)
        if (llvm::Error error = writer.add(member, added, content))
          return error;
  }
  if (llvm::Error error = wheel.checkWhole(writer.finish(wheel.comment())))
    return error;
  llvm::Expected<io::InputFile> made = io::InputFile::open(step->staged()->path());
  if (!made)
    return made.takeError();
  if (old && old->bytes() == made->bytes())
    return false;
  if (isProtected)
    return fail(ErrorCode::Conflict, "would overwrite another input",
                "repair it in a separate run, or into another directory");
  commit::Phase phase;
  phase.push_back(std::move(*step));
  if (llvm::Error error = commit::commitTogether(phase))
    return error;
  return true;
}

OutputFolder::OutputFolder(std::string folderPath, io::Notify notify)
    : path(std::move(folderPath)) {
  llvm::Expected<io::Place> place = io::Place::ofNew(path + "/new.whl");
  if (!place) {
    problem = toProblem(place.takeError(), {});
    problem = {ErrorCode::CannotWrite,
               "not repaired: cannot create the directory " + path + ": " + problem->message,
               {},
               "use another directory with -o"};
    return;
  }
  made = place->made;
  locks.emplace(place->path, std::string(), notify, commit::Links::Replaced);
}

llvm::Expected<io::Place> OutputFolder::place(const std::string& name) const {
  llvm::Expected<io::Place> place = locks->place(path + "/" + name);
  if (place)
    place->made = made; // the commit also syncs the directories in which these were created
  return place;
}

llvm::Error OutputFolder::check() const {
  return problem ? toError(*problem) : locks->checkAll();
}

} // namespace tcfix::wheel
