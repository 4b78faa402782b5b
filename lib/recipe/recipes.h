// The packages that have a recipe of their own, one file for each.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::recipe {

const Recipe& torchcodec();
const Recipe& torchaudio();

} // namespace tcfix::recipe
