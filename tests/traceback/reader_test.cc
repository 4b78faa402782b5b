// The facts that are read from a text, before any conclusion.
#include "traceback/reader.h"

#include <gmock/gmock.h>

namespace tcfix::traceback {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Reader, GroupsByMajor) {
  TracebackFacts facts = readTraceback("FFmpeg version 7: libx.so: cannot open shared object file\n"
                                       "FFmpeg version 6: liby.so: cannot open shared object file");
  ASSERT_THAT(facts.groups, SizeIs(2));
  EXPECT_EQ(facts.groups[0].major, 7);
  EXPECT_EQ(facts.groups[1].failures[0].name, "liby.so");
  EXPECT_EQ(facts.groups[1].failures[0].path, "libtorchcodec");
  EXPECT_FALSE(facts.isListComplete);
}

TEST(Reader, DyldListsThePlacesItTried) {
  std::vector<Defect> failures = readFailures(
      "Library not loaded: @rpath/libavutil.59.dylib\n  Referenced from: <X> /a/b.dylib"
      "\n  Reason: tried: '/x/libavutil.59.dylib' (no such file), '/y' (fat (z))\n");
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].path, "/a/b.dylib");
  EXPECT_EQ(failures[0].name, "@rpath/libavutil.59.dylib");
  ASSERT_THAT(failures[0].tried, SizeIs(2));
  EXPECT_EQ(failures[0].tried[1].outcome, "fat (z)");
}

TEST(Reader, AListWithoutHeadings) {
  TracebackFacts facts = readTraceback("[start of libtorchcodec loading traceback]\n"
                                       "libavutil.so.59: cannot open shared object file\n"
                                       "libavutil.so.58: cannot open shared object file\n"
                                       "[end of libtorchcodec loading traceback]");
  ASSERT_THAT(facts.groups, SizeIs(2));
  EXPECT_EQ(facts.groups[0].major, 7);
  EXPECT_EQ(facts.groups[1].major, 6);
}

TEST(Reader, TheSameFailureCountsOnce) {
  const std::string line = "/a/b.so: undefined symbol: one\n";
  EXPECT_THAT(readFailures(line + line), SizeIs(1));
  EXPECT_THAT(readFailures(line + "/a/b.so: undefined symbol: two\n"), SizeIs(2));
  EXPECT_THAT(readFailures(line)[0].items, ElementsAre("one"));
}

} // namespace
} // namespace tcfix::traceback
