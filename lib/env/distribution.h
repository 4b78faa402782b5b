// Distributions: what installers recorded about the packages in a site.
#pragma once

#include "base/error.h"
#include "env/environment.h"
#include "env/record.h"

namespace tcfix::env {

/// A .dist-info or .egg-info entry of a site.
struct Distribution {
  std::string name;    ///< as spelled in the entry
  std::string version; ///< empty if the entry has none
  std::string entry;   ///< host path
};

/// The normalized name (PEP 503).
std::string normalizedName(llvm::StringRef name);

/// The name as a Python identifier, without hyphens.
std::string moduleName(llvm::StringRef name);

/// All of a site, sorted by entry.
std::vector<Distribution> distributionsIn(const std::string& site, const io::TargetDisk& disk);

/// Those of one package, the newest first.
std::vector<Distribution> distributionsOf(llvm::StringRef name, const std::string& site,
                                          const io::TargetDisk& disk);

/// The first value of a METADATA field such as "Version", as a view of the text; empty if there is
/// none.
llvm::StringRef metadataField(llvm::StringRef metadata, llvm::StringRef name);

/// The names of the distributions that one requires without any extra.
std::vector<std::string> requirementsOf(const std::string& distInfo, const io::TargetDisk& disk);

struct RecordFile {
  std::string path;
  std::optional<Record> record;
  std::optional<Problem> problem; ///< why there is none
};

RecordFile readRecord(const Distribution& distribution, const io::TargetDisk& disk);

/// The distributions of a site whose RECORD lists a path with this prefix, without those that an
/// interrupted pip has renamed (~name).
std::vector<Distribution> distributionsListing(llvm::StringRef beginning, const std::string& site,
                                               const io::TargetDisk& disk);

/// Reads name and version from the distribution's METADATA, if it has them.
void readMetadata(Distribution& distribution, const io::TargetDisk& disk);

} // namespace tcfix::env
