// Rewrites a zip archive as requested, so that other programs can check the result:
//   zip_tool IN OUT [replace NAME FILE | rename NAME NEW | add NAME FILE]...
// OUT "-" unpacks everything and writes nothing.

#include "base/error.h"
#include "io/file.h"
#include "wheel/zip.h"

#include <cstdio>
#include <map>

namespace {

using namespace tcfix;

llvm::Error checkAll(const wheel::ZipReader& reader) {
  for (const wheel::ZipMember& member : reader.members()) {
    llvm::Expected<ByteVector> content = wheel::unpack(member);
    if (!content)
      return content.takeError();
  }
  return llvm::Error::success();
}

llvm::Error addFile(wheel::ZipWriter& writer, const wheel::ZipMember& like, llvm::StringRef name,
                    llvm::StringRef path) {
  llvm::Expected<io::InputFile> content = io::InputFile::open(path);
  if (!content)
    return content.takeError();
  return writer.add(like, name, content->bytes());
}

llvm::Error rewrite(llvm::ArrayRef<std::string> words) {
  llvm::Expected<io::InputFile> input = io::InputFile::open(words[0]);
  if (!input)
    return input.takeError();
  llvm::Expected<wheel::ZipReader> reader = wheel::ZipReader::open(input->bytes());
  if (!reader)
    return reader.takeError();
  if (words[1] == "-")
    return checkAll(*reader);
  llvm::Expected<io::Place> place = io::Place::of(words[1]);
  if (!place)
    return place.takeError();
  llvm::Expected<io::TemporaryFile> file = io::TemporaryFile::createIn(place->directory);
  if (!file)
    return file.takeError();
  wheel::ZipWriter writer(*file);
  std::map<std::string, std::string> replaced, renamed, added;
  for (size_t i = 2; i + 2 < words.size(); i += 3)
    (words[i] == "replace"  ? replaced
     : words[i] == "rename" ? renamed
                            : added)[words[i + 1]] = words[i + 2];
  for (const wheel::ZipMember& member : reader->members())
    if (llvm::Error error = replaced.count(member.name)
                                ? addFile(writer, member, member.name, replaced[member.name])
                                : writer.copy(member, renamed[member.name]))
      return error;
  for (const auto& [name, path] : added)
    if (llvm::Error error = addFile(writer, reader->members().front(), name, path))
      return error;
  if (llvm::Error error = writer.finish(reader->comment()))
    return error;
  return file->renameTo(place->name);
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  llvm::Error error = rewrite(words);
  if (!error)
    return 0;
  Problem problem = toProblem(std::move(error), words[0]);
  std::fprintf(stderr, "%s: %s\n", nameOf(*problem.code).str().c_str(), problem.message.c_str());
  return 1;
}
