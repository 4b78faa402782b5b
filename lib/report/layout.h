// A layered drawing of a directed graph, from left to right: dependencies are right of what needs
// them.
//
// The method is Sugiyama's: layers by the longest path, long edges cut into pieces that take a
// position of their own in each layer, order by barycentres, positions by least squares.
// Deterministic, and made for some dozens of boxes.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <cstddef>
#include <vector>

namespace tcfix::report {

struct Box {
  double width = 0;
  double height = 0;
  size_t band = 0; ///< all boxes of a band stand right of those of the bands before
};

struct Arrow {
  size_t from = 0;
  size_t to = 0;
};

struct Point {
  double x = 0;
  double y = 0;
};

struct Layout {
  double width = 0;
  double height = 0;
  std::vector<Point> boxes; ///< their upper left corners
  /// The route of each arrow: from the edge of a box to the edge of another, two points for each
  /// layer in between, which it crosses in a straight line.
  std::vector<std::vector<Point>> ways;
};

struct Gaps {
  double betweenLayers = 56;
  double betweenBoxes = 16;
  double betweenWays = 10;
};

/// Cycles are allowed: one arrow of a cycle leads from right to left. An arrow from a box to itself
/// has no route.
Layout layOut(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<Arrow> arrows, const Gaps& gaps = {});

} // namespace tcfix::report
