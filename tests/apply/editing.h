// Shared by the tests of lib/apply: a valid library and a short way to edit files.
#pragma once

#include "apply/edit_files.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"
#include "support/posix_file.h"
#include "support/temporary_folder.h"

namespace tcfix::support {

inline ByteVector library() {
  return buildMachO(signedAs(SignatureStyle::AdHoc));
}

inline apply::EditRun addingRpath(const std::vector<std::string>& files, const std::string& path,
                                  const apply::EditOptions& options = {}) {
  return apply::editFiles(files, asking({AddSearchPath{path}}), options, [](const std::string&) {});
}

inline apply::EditOptions journalling(const std::string& journal) {
  apply::EditOptions options;
  options.journal = journal;
  return options;
}

} // namespace tcfix::support
