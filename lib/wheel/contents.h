// A wheel, opened: its archive, and what its .dist-info says. Format: the "Binary distribution
// format" of packaging.python.org, version 1.
#pragma once

#include "env/record.h"
#include "io/file.h"
#include "wheel/wheel_name.h"
#include "wheel/zip.h"

namespace tcfix::wheel {

/// More than all libraries of a wheel and any RECORD that is meant for tcfix have: torch's RECORD,
/// of 20,000 files, has 2 MB. A hostile archive stops here.
constexpr uint64_t kMostBytes = uint64_t(1) << 30;
constexpr uint64_t kMostText = uint64_t(1) << 24;
/// Line ends in a RECORD, four times as many as an archive has members at most. A row may have two
/// bytes there, compressed to almost nothing, and has hundreds in memory.
constexpr ptrdiff_t kMostLines = ptrdiff_t(1) << 18;

class Contents {
public:
  /// Refuses what is no wheel: no .dist-info with METADATA and RECORD, or several.
  static llvm::Expected<Contents> open(const std::string& path);

  llvm::ArrayRef<ZipMember> members() const { return archive.members(); }
  Bytes comment() const { return archive.comment(); }
  const WheelName& name() const { return fileName; }
  const std::string& distInfo() const { return distInfoFolder; } ///< such as "x-1.0.dist-info"
  const std::string& version() const { return versionInMetadata; }
  const env::Record& record() const { return recordTable; }
  llvm::StringRef metadata() const { return textOf(metadataBytes); }
  /// Where a member is installed, from site-packages: installers move what is in .data/platlib.
  llvm::StringRef installedPath(llvm::StringRef member) const;

  /// A member's content. Malformed if RECORD does not list it, or has another hash or size for it
  /// in any of its rows: what is written anew gets a new hash, and nobody could tell any more.
  /// Interrupted once the user wants to stop: a wheel may have many members.
  llvm::Expected<ByteVector> read(const ZipMember& member, uint64_t most = kMostBytes) const;

  /// As InputFile has it: before any other error, one if someone wrote to the archive meanwhile.
  llvm::Error checkWhole(llvm::Error other) const { return file.checkWhole(std::move(other)); }

private:
  explicit Contents(io::InputFile file) : file(std::move(file)) {}
  llvm::Error readDistInfo();

  io::InputFile file; ///< what the archive's members are views of
  /// RECORD's rows for a path: a hostile one has so many that looking through all takes minutes.
  llvm::StringMap<std::vector<size_t>> rowsByPath;
  ZipReader archive;
  WheelName fileName;
  std::string distInfoFolder, versionInMetadata;
  env::Record recordTable;
  ByteVector metadataBytes;
};

} // namespace tcfix::wheel
