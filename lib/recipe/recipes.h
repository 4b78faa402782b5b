// The packages that have a recipe of their own, one file for each.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::recipe {

const Recipe& torchcodec();
std::string torchcodecSmokeTest(llvm::StringRef version);

} // namespace tcfix::recipe
