#include "report/layout.h"

#include <algorithm>

namespace tcfix::report {

namespace {

/// A box, or the place where a long arrow crosses a layer.
struct Place {
  size_t layer = 0;
  double width = 0;
  double height = 0;
  bool isBox = false;
  double middle = 0; ///< vertical
  std::vector<size_t> before, after;
};

class Drawing {
public:
  Drawing(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<Arrow> arrows, const Gaps& gaps)
      : boxes(boxes), arrows(arrows), gaps(gaps) {}

  Layout run() {
    straighten();
    assignLayers();
    makePlaces();
    orderLayers();
    positionPlaces();
    return result();
  }

private:
  // Reverses arrows that close a cycle or point to an earlier band, so that all point forward.
  void straighten() {
    forward.assign(arrows.begin(), arrows.end());
    for (Arrow& arrow : forward)
      if (boxes[arrow.from].band > boxes[arrow.to].band)
        std::swap(arrow.from, arrow.to);
    gatherArrows();
    enum class Visit { No, Open, Done };
    std::vector<Visit> visits(boxes.size(), Visit::No);
    struct Step {
      size_t box;
      size_t next = 0;
    };
    for (size_t start = 0; start < boxes.size(); ++start) {
      if (visits[start] != Visit::No)
        continue;
      std::vector<Step> path = {{start}};
      visits[start] = Visit::Open;
      while (!path.empty()) {
        Step& step = path.back();
        if (step.next == out[step.box].size()) {
          visits[step.box] = Visit::Done;
          topological.push_back(step.box);
          path.pop_back();
          continue;
        }
        Arrow& arrow = forward[out[step.box][step.next++]];
        size_t target = arrow.to;
        if (visits[target] == Visit::Open)
          std::swap(arrow.from, arrow.to);
        else if (visits[target] == Visit::No) {
          visits[target] = Visit::Open;
          path.push_back({target});
        }
      }
    }
    std::reverse(topological.begin(), topological.end());
    gatherArrows();
  }

  void gatherArrows() {
    out.assign(boxes.size(), {});
    for (size_t i = 0; i < forward.size(); ++i)
      if (forward[i].from != forward[i].to)
        out[forward[i].from].push_back(i);
  }

  void assignLayers() {
    layerOf.assign(boxes.size(), 0);
    size_t bands = 0;
    for (const Box& box : boxes)
      bands = std::max(bands, box.band + 1);
    std::vector<bool> hasBefore(boxes.size(), false);
    size_t first = 0;
    for (size_t band = 0; band < bands; ++band) {
      size_t end = first;
      for (size_t box : topological) {
        if (boxes[box].band != band)
          continue;
        layerOf[box] = std::max(layerOf[box], first);
        end = std::max(end, layerOf[box] + 1);
        for (size_t arrow : out[box]) {
          size_t target = forward[arrow].to;
          layerOf[target] = std::max(layerOf[target], layerOf[box] + 1);
          hasBefore[target] = true;
        }
      }
      // Move a box that nothing depends on close to its own dependencies.
      for (size_t box = 0; box < boxes.size(); ++box)
        if (boxes[box].band == band && !hasBefore[box] && !out[box].empty()) {
          size_t limit = end;
          for (size_t arrow : out[box])
            if (boxes[forward[arrow].to].band == band)
              limit = std::min(limit, layerOf[forward[arrow].to]);
          layerOf[box] = std::max(layerOf[box], limit - 1);
        }
      first = end;
    }
  }

  void makePlaces() {
    size_t count = 0;
    for (size_t box = 0; box < boxes.size(); ++box) {
      places.push_back({layerOf[box], boxes[box].width, boxes[box].height, true, 0, {}, {}});
      count = std::max(count, layerOf[box] + 1);
    }
    stops.resize(forward.size());
    for (size_t i = 0; i < forward.size(); ++i) {
      const Arrow& arrow = forward[i];
      if (arrow.from == arrow.to)
        continue;
      size_t last = arrow.from;
      auto connect = [&](size_t place) {
        places[last].after.push_back(place);
        places[place].before.push_back(last);
        last = place;
      };
      for (size_t layer = layerOf[arrow.from] + 1; layer < layerOf[arrow.to]; ++layer) {
        places.push_back({layer, 0, 0, false, 0, {}, {}});
        stops[i].push_back(places.size() - 1);
        connect(places.size() - 1);
      }
      connect(arrow.to);
    }
    layers.resize(count);
    for (size_t place = 0; place < places.size(); ++place)
      layers[places[place].layer].push_back(place);
  }

  using Order = std::vector<std::vector<size_t>>;

  std::vector<double> ranksIn(const Order& order) const {
    std::vector<double> ranks(places.size());
    for (const std::vector<size_t>& layer : order)
      for (size_t i = 0; i < layer.size(); ++i)
        ranks[layer[i]] = static_cast<double>(i);
    return ranks;
  }

  size_t crossingsIn(const Order& order) const {
    std::vector<double> ranks = ranksIn(order);
    size_t crossings = 0;
    std::vector<double> targets;
    for (const std::vector<size_t>& layer : order) {
      targets.clear();
      for (size_t place : layer) {
        size_t known = targets.size();
        for (size_t after : places[place].after) {
          for (size_t i = 0; i < known; ++i)
            crossings += targets[i] > ranks[after];
          targets.push_back(ranks[after]);
        }
      }
    }
    return crossings;
  }

  static double mean(llvm::ArrayRef<size_t> neighbours, llvm::ArrayRef<double> values,
                     double otherwise) {
    if (neighbours.empty())
      return otherwise;
    double sum = 0;
    for (size_t neighbour : neighbours)
      sum += values[neighbour];
    return sum / static_cast<double>(neighbours.size());
  }

  void orderLayers() {
    constexpr int kSweeps = 12;
    Order order = layers;
    size_t fewest = crossingsIn(layers);
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      bool isForward = sweep % 2 == 0;
      for (size_t i = 0; i < order.size(); ++i) {
        std::vector<double> ranks = ranksIn(order);
        std::vector<size_t>& layer = order[isForward ? i : order.size() - 1 - i];
        std::vector<double> keys(places.size());
        for (size_t place : layer)
          keys[place] =
              mean(isForward ? places[place].before : places[place].after, ranks, ranks[place]);
        std::stable_sort(layer.begin(), layer.end(),
                         [&](size_t a, size_t b) { return keys[a] < keys[b]; });
      }
      size_t crossings = crossingsIn(order);
      if (crossings < fewest) {
        fewest = crossings;
        layers = order;
      }
    }
  }

  double distance(size_t above, size_t below) const {
    bool areBoxes = places[above].isBox && places[below].isBox;
    return (places[above].height + places[below].height) / 2 +
           (areBoxes ? gaps.betweenBoxes : gaps.betweenWays);
  }

  // The positions closest to the ideal ones, by least squares, that preserve order and distance:
  // isotonic regression, by pooling neighbours whose ideal positions overlap.
  void settle(llvm::ArrayRef<size_t> layer, llvm::ArrayRef<double> wanted) {
    struct Pool {
      double sum;
      size_t count;
      double value() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offsets(layer.size(), 0);
    std::vector<Pool> pools;
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i > 0)
        offsets[i] = offsets[i - 1] + distance(layer[i - 1], layer[i]);
      pools.push_back({wanted[layer[i]] - offsets[i], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].value() >= pools.back().value()) {
        Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().count += last.count;
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools)
      for (size_t k = 0; k < pool.count; ++k, ++i)
        places[layer[i]].middle = pool.value() + offsets[i];
  }

  void positionPlaces() {
    constexpr int kRounds = 16;
    std::vector<double> wanted(places.size(), 0);
    for (const std::vector<size_t>& layer : layers)
      settle(layer, wanted);
    for (int round = 0; round < kRounds; ++round)
      for (size_t i = 0; i < layers.size(); ++i) {
        bool isForward = round % 2 == 0;
        llvm::ArrayRef<size_t> layer = layers[isForward ? i : layers.size() - 1 - i];
        std::vector<double> middles(places.size());
        for (size_t place = 0; place < places.size(); ++place)
          middles[place] = places[place].middle;
        for (size_t place : layer) {
          double before = mean(places[place].before, middles, middles[place]);
          double after = mean(places[place].after, middles, middles[place]);
          wanted[place] = (before + after) / 2;
        }
        settle(layer, wanted);
      }
  }

  Layout result() const {
    Layout layout;
    double top = 0, bottom = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      double half = places[i].height / 2;
      top = i ? std::min(top, places[i].middle - half) : places[i].middle - half;
      bottom = i ? std::max(bottom, places[i].middle + half) : places[i].middle + half;
    }
    layout.height = bottom - top;
    std::vector<double> lefts, rights;
    for (const std::vector<size_t>& layer : layers) {
      double width = 0;
      for (size_t place : layer)
        width = std::max(width, places[place].width);
      lefts.push_back(lefts.empty() ? 0 : rights.back() + gaps.betweenLayers);
      rights.push_back(lefts.back() + width);
      layout.width = rights.back();
    }
    for (size_t box = 0; box < boxes.size(); ++box)
      layout.boxes.push_back(
          {lefts[layerOf[box]], places[box].middle - places[box].height / 2 - top});
    for (size_t i = 0; i < forward.size(); ++i) {
      std::vector<Point> way;
      const Arrow& arrow = forward[i];
      if (arrow.from != arrow.to) {
        auto at = [&](double x, size_t place) { way.push_back({x, places[place].middle - top}); };
        at(lefts[layerOf[arrow.from]] + boxes[arrow.from].width, arrow.from);
        for (size_t stop : stops[i]) {
          at(lefts[places[stop].layer], stop);
          at(rights[places[stop].layer], stop);
        }
        at(lefts[layerOf[arrow.to]], arrow.to);
        if (arrow.from != arrows[i].from)
          std::reverse(way.begin(), way.end());
      }
      layout.ways.push_back(std::move(way));
    }
    return layout;
  }

  llvm::ArrayRef<Box> boxes;
  llvm::ArrayRef<Arrow> arrows;
  const Gaps& gaps;
  std::vector<Arrow> forward;           ///< the arrows, with those that close a cycle reversed
  std::vector<std::vector<size_t>> out; ///< for each box, the forward arrows from it
  std::vector<size_t> topological;      ///< boxes in topological order
  std::vector<size_t> layerOf;
  std::vector<Place> places; ///< the boxes first
  std::vector<std::vector<size_t>> stops;
  Order layers; ///< from the top to the bottom
};

} // namespace

Layout layOut(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<Arrow> arrows, const Gaps& gaps) {
  return Drawing(boxes, arrows, gaps).run();
}

} // namespace tcfix::report
