// An open wheel: its archive and its .dist-info. Format: the "Binary distribution format" of
// packaging.python.org, version 1.
#pragma once

#include "env/record.h"
#include "io/file.h"
#include "wheel/wheel_name.h"
#include "wheel/zip.h"

namespace tcfix::wheel {

/// Limits for malicious archives: larger than all libraries of a wheel together, and than any real
/// RECORD (torch's, with 20,000 files, has 2 MB).
constexpr uint64_t kMaxBytes = uint64_t(1) << 30;
constexpr uint64_t kMaxText = uint64_t(1) << 24;
/// Lines in a RECORD: four times the maximum number of members. A row may have only two bytes,
/// which compress to almost nothing, but takes hundreds in memory.
constexpr ptrdiff_t kMaxLines = ptrdiff_t(1) << 18;

class Contents {
public:
  /// Rejects an archive that does not have exactly one .dist-info with METADATA and RECORD.
  static llvm::Expected<Contents> open(const std::string& path);

  llvm::ArrayRef<ZipMember> members() const { return archive.members(); }
  Bytes comment() const { return archive.comment(); }
  const WheelName& name() const { return fileName; }
  const std::string& distInfo() const { return distInfoFolder; } ///< such as "x-1.0.dist-info"
  const std::string& version() const { return versionInMetadata; }
  const env::Record& record() const { return recordTable; }
  llvm::StringRef metadata() const { return textOf(metadataBytes); }
  /// Where a member is installed, relative to site-packages: installers move .data/platlib.
  llvm::StringRef installedPath(llvm::StringRef member) const;

  /// A member's content. Malformed if RECORD does not list it, or has another hash or size for it
  /// in any row: rewriting RECORD would hide that. Interrupted after Ctrl-C: a wheel may have many
  /// members.
  llvm::Expected<ByteVector> read(const ZipMember& member, uint64_t most = kMaxBytes) const;

  /// Like InputFile::checkWhole: fails if another program wrote to the archive meanwhile.
  llvm::Error checkWhole(llvm::Error other) const { return file.checkWhole(std::move(other)); }

private:
  explicit Contents(io::InputFile file) : file(std::move(file)) {}
  llvm::Error readDistInfo();

  io::InputFile file; ///< the archive's members are views of it
  /// RECORD's rows by path: a linear search would take minutes in a malicious RECORD.
  llvm::StringMap<std::vector<size_t>> rowsByPath;
  ZipReader archive;
  WheelName fileName;
  std::string distInfoFolder, versionInMetadata;
  env::Record recordTable;
  ByteVector metadataBytes;
};

} // namespace tcfix::wheel
