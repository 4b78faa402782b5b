// What edit and sign share: their options about writing and signatures, and the run itself.
#pragma once

#include "command_line.h"

#include "apply/edit_files.h"

namespace tcfix::cli {

/// --journal, --dry-run, and those about signatures.
OptionGroup editingOptions();

/// Does to the invocation's files what `request` and those options say, and ends the command.
int runEditing(Invocation& invocation, formats::EditRequest request);

} // namespace tcfix::cli
