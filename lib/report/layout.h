// A layered drawing of a directed graph: dependencies are to the right of the libraries that need
// them.
//
// Sugiyama's method: layers by longest path, long edges split into segments that take a position in
// each layer, order by barycentres, positions by least squares. Deterministic, and meant for some
// dozens of boxes.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <cstddef>
#include <vector>

namespace tcfix::report {

struct Box {
  double width = 0;
  double height = 0;
  size_t band = 0; ///< boxes of a band are to the right of earlier bands
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
  /// The route of each arrow: from the edge of one box to the edge of another, with two points for
  /// each layer in between, which it crosses in a straight line.
  std::vector<std::vector<Point>> ways;
};

struct Gaps {
  double betweenLayers = 56;
  double betweenBoxes = 16;
  double betweenWays = 10;
};

/// Cycles are allowed: one arrow of a cycle points from right to left. An arrow from a box to
/// itself has no route.
Layout layOut(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<Arrow> arrows, const Gaps& gaps = {});

} // namespace tcfix::report
