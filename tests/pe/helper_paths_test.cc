// The paths that the helper inside a converted DLL builds, run on this machine.
#include "pe/helper/paths.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

std::u16string wide(const std::string& text) {
  return {text.begin(), text.end()};
}

const Char* charsOf(const std::u16string& text) {
  return reinterpret_cast<const Char*>(text.c_str());
}

/// Empty if no path could be built.
std::string pathFor(const std::string& entry, const std::string& origin = "C:\\site\\pkg") {
  std::vector<Char> path(kRoom);
  if (!makePath(path.data(), charsOf(wide(origin)), charsOf(wide(entry)), "x.dll"))
    return {};
  std::string result;
  for (const Char* c = path.data(); *c; ++c)
    result.push_back(static_cast<char>(*c));
  return result;
}

struct Case {
  const char* entry;
  const char* path;
};

TEST(HelperPaths, AreAbsoluteAndCollapsed) {
  const Case cases[] = {
      {"$ORIGIN", "C:\\site\\pkg\\x.dll"},
      {"@loader_path", "C:\\site\\pkg\\x.dll"},
      {"$ORIGIN\\..\\torch\\lib", "C:\\site\\torch\\lib\\x.dll"},
      {"@loader_path/../../torch/lib/", "C:\\torch\\lib\\x.dll"},
      {"$ORIGIN\\..\\..\\..\\..\\a", "C:\\a\\x.dll"},
      {"$ORIGINAL\\a", ""},
      {"D:\\a\\.\\b\\\\c\\..", "D:\\a\\b\\x.dll"},
      {"D:/", "D:\\x.dll"},
      {"D:a", ""},
      {"\\a", ""},
      {"a\\b", ""},
      {"", ""},
      {"%UNSET%\\bin", ""},
      {"\\\\server\\share", "\\\\server\\share\\x.dll"},
      {"\\\\server\\share\\a\\..\\..\\..\\b", "\\\\server\\share\\b\\x.dll"},
      {"//server/share/a", "\\\\server\\share\\a\\x.dll"},
      {"\\\\?\\C:\\a\\..\\b", "\\\\?\\C:\\b\\x.dll"},
      {"\\\\?\\UNC\\server\\share\\..\\b", "\\\\?\\UNC\\server\\share\\b\\x.dll"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(pathFor(each.entry), each.path) << each.entry;
}

TEST(HelperPaths, LongOnesGetThePrefix) {
  const std::string name(300, 'n');
  EXPECT_EQ(pathFor("C:\\" + name), "\\\\?\\C:\\" + name + "\\x.dll");
  EXPECT_EQ(pathFor("\\\\server\\share\\" + name),
            "\\\\?\\UNC\\server\\share\\" + name + "\\x.dll");
  EXPECT_EQ(pathFor("$ORIGIN", "\\\\?\\C:\\" + name), "\\\\?\\C:\\" + name + "\\x.dll");
  EXPECT_EQ(pathFor("C:\\" + std::string(249, 'n')).size(), 258u);
  EXPECT_EQ(pathFor("C:\\" + name + "\\..\\short"), "C:\\short\\x.dll");
}

TEST(HelperPaths, InvalidOnesAreRefused) {
  for (size_t length = 32700; length < 33000; ++length) {
    std::string path = pathFor("C:\\" + std::string(length, 'n'));
    EXPECT_LT(path.size(), size_t(kRoom));
    path = pathFor("$ORIGIN\\" + std::string(200, 'n'), "C:\\" + std::string(length - 200, 'n'));
    EXPECT_LT(path.size(), size_t(kRoom));
  }
  EXPECT_EQ(pathFor("C:\\" + std::string(40000, 'n')), "");
}

} // namespace
