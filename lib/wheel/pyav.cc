#include "wheel/pyav.h"

#include "base/error.h"
#include "env/library_files.h"
#include "formats/formats.h"
#include "wheel/contents.h"

#include <llvm/Support/Path.h>

namespace tcfix::wheel {

namespace path = llvm::sys::path;

llvm::Expected<PyavWheel> readPyav(const std::string& file) {
  llvm::Expected<Contents> wheel = Contents::open(file);
  if (!wheel)
    return wheel.takeError();
  PyavWheel pyav;
  pyav.ffmpeg.description =
      (wheel->name().distribution == "av" ? "PyAV" : wheel->name().distribution) + " " +
      wheel->version();
  for (const ZipMember& member : wheel->members()) {
    if (member.isFolder() || !env::isInGraftedFolder(member.name))
      continue;
    llvm::StringRef name = path::filename(member.name, path::Style::posix);
    std::optional<providers::FfmpegName> known = providers::parseFfmpegName(name);
    if (!known)
      continue;
    pyav.ffmpeg.folder = path::parent_path(member.name, path::Style::posix).str();
    pyav.ffmpeg.files.add(name);
    if (known->component != "avcodec")
      continue;
    llvm::Expected<ByteVector> bytes = wheel->read(member);
    if (!bytes)
      return bytes.takeError();
    llvm::Expected<Image> image = formats::inspect(*bytes, {.isThorough = false});
    if (!image)
      return within(member.name, image.takeError());
    pyav.platform = platformOf(image->format);
    pyav.arch = image->slices.front().arch;
  }
  if (pyav.arch.empty())
    return fail(ErrorCode::Unsupported, "contains no FFmpeg",
                "pass a PyAV wheel: pip download --no-deps av");
  return pyav;
}

} // namespace tcfix::wheel
