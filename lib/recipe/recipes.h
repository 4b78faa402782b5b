// The packages that have their own recipe, one file for each.
#pragma once

#include "recipe/recipe.h"

namespace tcfix::recipe {

const Recipe& torchcodec();
const Recipe& torchaudio();

/// Adds what is known about the libraries of a package without its own recipe.
void addKnownParts(Recipe& generic);

} // namespace tcfix::recipe
