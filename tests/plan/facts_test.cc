// What file names and dependencies say about torchcodec's libraries.

#include "plan/facts.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;

plan::LibraryFacts named(const std::string& name) {
  plan::LibraryFacts library;
  library.name = name;
  plan::readName(library);
  return library;
}

TEST(Facts, ReadMajorAndRankInANameOfAnyVersion) {
  struct Case {
    const char* name;
    int major, rank;
  };
  for (const Case& each : std::initializer_list<Case>{{"libtorchcodec7.dylib", 7, 0},
                                                      {"libtorchcodec_decoder7.dylib", 7, 0},
                                                      {"libtorchcodec_core8.so", 8, 0},
                                                      {"libtorchcodec_core10.so", 10, 0},
                                                      {"libtorchcodec_custom_ops4.dll", 4, 1},
                                                      {"libtorchcodec_pybind_ops5.pyd", 5, 2},
                                                      {"libtorchcodec_pybind_ops.so", 0, 2},
                                                      {"libtorchcodec_image.dylib", 0, 0},
                                                      {"libtorchcodec_core99999999999.so", 0, 0},
                                                      {"libavcodec.61.dylib", 0, 0}}) {
    plan::LibraryFacts library = named(each.name);
    EXPECT_EQ(library.major, each.major) << each.name;
    EXPECT_EQ(library.rank, each.rank) << each.name;
  }
}

TEST(Facts, GroupLibrariesAsTorchcodecTriesThem) {
  plan::PackageFacts facts;
  for (const char* name :
       {"libtorchcodec_core10.so", "libtorchcodec_core7.so", "libtorchcodec_core8.so",
        "libtorchcodec_custom_ops7.so", "libtorchcodec_heic.so", "libtorchcodec_image.so",
        "libtorchcodec_pybind_ops7.so"})
    facts.libraries.push_back(named(name));
  std::swap(facts.libraries[1], facts.libraries[6]); // the order on the disk does not count
  std::vector<std::string> order;
  for (const plan::Group& group : plan::groupsOf(facts)) {
    order.push_back("|");
    for (const plan::LibraryFacts* library : group.libraries)
      order.push_back(library->name.substr(14, library->name.size() - 17));
  }
  EXPECT_THAT(order, ElementsAre("|", "core10", "|", "core8", "|", "core7", "custom_ops7",
                                 "pybind_ops7", "|", "heic", "|", "image"));
}

} // namespace
} // namespace tcfix::support
