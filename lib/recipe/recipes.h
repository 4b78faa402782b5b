// The packages that have a recipe of their own, one file for each.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::recipe {

const Recipe& torchcodec();
const Recipe& torchaudio();

/// What is known of the libraries of a package without a recipe of its own.
void addKnownParts(Recipe& generic);

} // namespace tcfix::recipe
