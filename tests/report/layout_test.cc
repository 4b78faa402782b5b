// Properties of a readable drawing: nothing overlaps, arrows point right, few lines cross.
#include "report/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tcfix::report {
namespace {

struct Case {
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
};

Case randomCase(unsigned seed) {
  std::mt19937 random(seed);
  Case made;
  size_t count = 2 + random() % 30;
  for (size_t i = 0; i < count; ++i)
    made.boxes.push_back({50.0 + random() % 200, 20.0 + random() % 80, random() % 3});
  for (size_t i = 0; i < count * 2; ++i)
    made.arrows.push_back({random() % count, random() % count});
  return made;
}

bool overlaps(Point a, const Box& boxA, Point b, const Box& boxB) {
  return a.x < b.x + boxB.width && b.x < a.x + boxA.width && a.y < b.y + boxB.height &&
         b.y < a.y + boxA.height;
}

TEST(Layout, AnEmptyGraphHasNoSize) {
  Layout layout = layOut({}, {});
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

TEST(Layout, BoxesDoNotOverlapAndAreInside) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Case made = randomCase(seed);
    Layout layout = layOut(made.boxes, made.arrows);
    for (size_t i = 0; i < made.boxes.size(); ++i) {
      EXPECT_GE(layout.boxes[i].x, 0);
      EXPECT_GE(layout.boxes[i].y, -1e-6);
      EXPECT_LE(layout.boxes[i].x + made.boxes[i].width, layout.width + 1e-6);
      EXPECT_LE(layout.boxes[i].y + made.boxes[i].height, layout.height + 1e-6);
      for (size_t k = 0; k < i; ++k)
        EXPECT_FALSE(overlaps(layout.boxes[i], made.boxes[i], layout.boxes[k], made.boxes[k]))
            << "seed " << seed << ": " << i << " and " << k;
    }
  }
}

TEST(Layout, RoutesConnectTheirBoxesAndCrossLayersBetweenThem) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Case made = randomCase(seed);
    Layout layout = layOut(made.boxes, made.arrows);
    for (size_t i = 0; i < made.arrows.size(); ++i) {
      const Arrow& arrow = made.arrows[i];
      const std::vector<Point>& way = layout.ways[i];
      if (arrow.from == arrow.to) {
        EXPECT_TRUE(way.empty());
        continue;
      }
      ASSERT_GE(way.size(), 2u);
      auto touches = [&](Point end, size_t box) {
        Point corner = layout.boxes[box];
        bool isAtSide = std::abs(end.x - corner.x) < 1e-6 ||
                        std::abs(end.x - corner.x - made.boxes[box].width) < 1e-6;
        return isAtSide && end.y > corner.y && end.y < corner.y + made.boxes[box].height;
      };
      EXPECT_TRUE(touches(way.front(), arrow.from)) << "seed " << seed;
      EXPECT_TRUE(touches(way.back(), arrow.to)) << "seed " << seed;
      for (size_t k = 1; k + 1 < way.size(); k += 2) {
        EXPECT_EQ(way[k].y, way[k + 1].y);
        double left = std::min(way[k].x, way[k + 1].x), right = std::max(way[k].x, way[k + 1].x);
        for (size_t box = 0; box < made.boxes.size(); ++box)
          EXPECT_FALSE(overlaps({left, way[k].y}, {right - left, 0.01, 0}, layout.boxes[box],
                                made.boxes[box]))
              << "seed " << seed << ", arrow " << i << ", box " << box;
      }
    }
  }
}

TEST(Layout, AllPointRightUnlessThereIsACycle) {
  std::vector<Box> boxes(5, {100, 30, 0});
  std::vector<Arrow> arrows = {{4, 2}, {2, 0}, {4, 0}, {0, 1}, {3, 1}};
  Layout layout = layOut(boxes, arrows);
  for (const Arrow& arrow : arrows)
    EXPECT_LT(layout.boxes[arrow.from].x, layout.boxes[arrow.to].x);
  // A box that nothing needs is placed right before what it needs.
  EXPECT_EQ(layout.boxes[3].x, layout.boxes[0].x);
}

TEST(Layout, ACycleIsDrawnWithOneArrowBack) {
  std::vector<Box> boxes(3, {100, 30, 0});
  std::vector<Arrow> arrows = {{0, 1}, {1, 2}, {2, 0}};
  Layout layout = layOut(boxes, arrows);
  size_t back = 0;
  for (size_t i = 0; i < arrows.size(); ++i)
    back += layout.ways[i].front().x > layout.ways[i].back().x;
  EXPECT_EQ(back, 1u);
}

TEST(Layout, BandsAreInOrder) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Case made = randomCase(seed);
    Layout layout = layOut(made.boxes, made.arrows);
    for (size_t i = 0; i < made.boxes.size(); ++i)
      for (size_t k = 0; k < made.boxes.size(); ++k)
        if (made.boxes[i].band < made.boxes[k].band) {
          EXPECT_LT(layout.boxes[i].x + made.boxes[i].width, layout.boxes[k].x);
        }
  }
}

TEST(Layout, TheOrderAvoidsCrossings) {
  // In the given order, each of the three arrows crosses the other two.
  std::vector<Box> boxes(6, {100, 30, 0});
  std::vector<Arrow> arrows = {{0, 5}, {1, 4}, {2, 3}};
  Layout layout = layOut(boxes, arrows);
  for (const Arrow& arrow : arrows)
    EXPECT_NEAR(layout.boxes[arrow.from].y, layout.boxes[arrow.to].y, 1);
}

TEST(Layout, TheSameGraphGivesTheSameDrawing) {
  Case made = randomCase(7);
  Layout one = layOut(made.boxes, made.arrows), other = layOut(made.boxes, made.arrows);
  for (size_t i = 0; i < made.boxes.size(); ++i) {
    EXPECT_EQ(one.boxes[i].x, other.boxes[i].x);
    EXPECT_EQ(one.boxes[i].y, other.boxes[i].y);
  }
}

} // namespace
} // namespace tcfix::report
