// Which imports a Python source executes, as far as its text shows.

#include "env/python_source.h"

#include <gmock/gmock.h>

namespace tcfix::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Each import as it would be written.
std::vector<std::string> importsIn(llvm::StringRef text, Platform platform = Platform::Linux) {
  std::vector<std::string> found;
  for (const ImportStatement& each : readPythonSource(text, platform).imports) {
    std::string words = std::string(each.level, '.') + each.module;
    for (const std::string& name : each.names)
      words += " " + name;
    found.push_back(words);
  }
  return found;
}

TEST(PythonSource, ImportsAreReadInOrder) {
  EXPECT_THAT(importsIn("import a, b.c as d\n"
                        "from .e import f as g, h; import i\n"
                        "from . import (j,\n    k as l, # not this one: m\n)\n"
                        "from ..n import *\n"
                        "from .import o\n"
                        "import \\\n  p\r\n"),
              ElementsAre("a", "b.c", ".e f h", "i", ". j k", "..n", ". o", "p"));
}

TEST(PythonSource, StringsAndCommentsAreNotStatements) {
  EXPECT_THAT(importsIn("\"\"\"\nimport a\n\\\"\"\"\nimport b\n\"\"\"\n"
                        "# import c\n"
                        "text = 'x\\\n import d'\n"
                        "pairs = {'#': 1,\nimport_e: '('}\n"
                        "import f\n"),
              ElementsAre("f"));
}

TEST(PythonSource, FunctionsAreNotExecuted) {
  EXPECT_THAT(importsIn("def f():\n  import a\n  if True:\n    import b\n"
                        "async def g(): import c\n"
                        "class D:\n  import d\n  def h(self):\n    import e\n"
                        "import i\n"),
              ElementsAre("d", "i"));
}

TEST(PythonSource, ATryIsAssumedToSucceed) {
  EXPECT_THAT(importsIn("try:\n  import a\nexcept ImportError:\n  import b\nelse:\n  import c\n"
                        "finally:\n  import d\n"
                        "try: import e\nexcept: import f\n"
                        "with suppress(ImportError):\n  import g\n"),
              ElementsAre("a", "c", "d", "e", "g"));
}

TEST(PythonSource, ConditionsAreEvaluatedIfTheirValueIsKnown) {
  const std::string text = "if TYPE_CHECKING:\n  import a\nelse:\n  import b\n"
                           "if sys.platform == 'win32':\n  import c\n"
                           "elif sys.platform.startswith('linux'):\n  import d\n"
                           "else:\n  import e\n"
                           "if os.name != \"nt\": import f\n"
                           "if not (platform.system() == 'Darwin'):\n  import g\n"
                           "if sys.version_info >= (3, 8):\n  import h\nelse:\n  import i\n"
                           "if __name__ == '__main__':\n  import j\n";
  EXPECT_THAT(importsIn(text), ElementsAre("b", "d", "f", "g", "h"));
  EXPECT_THAT(importsIn(text, Platform::Windows), ElementsAre("b", "c", "g", "h"));
  EXPECT_THAT(importsIn(text, Platform::MacOs), ElementsAre("b", "e", "f", "h"));
}

TEST(PythonSource, WhatDependsOnAnUnknownConditionDoesNotCount) {
  EXPECT_THAT(importsIn("if wants(a):\n  import a\nelif True:\n  import b\nelse:\n  import c\n"
                        "if sys.platform == 'linux' and wants(d):\n  import d\n"),
              IsEmpty());
}

TEST(PythonSource, CallsWithALiteralNameAreImports) {
  EXPECT_THAT(importsIn("_a = importlib.import_module('.a.b', __package__)\n"
                        "__import__(\"c\")\n"
                        "import_module(name)\n"),
              ElementsAre(".a.b", "c"));
}

TEST(PythonSource, PartsOfAConditionMayDecide) {
  EXPECT_THAT(
      importsIn("if wants(a) or __package__ or '.' in __name__:\n  from . import a\n"
                "else:\n  import a\n"
                "if (sys.platform == 'win32' and wants(b)):\n  import b\nelse:\n  import c\n"),
      ElementsAre(". a", "c"));
}

bool loads(llvm::StringRef text, llvm::StringRef library = "libx-1.so.2",
           Platform platform = Platform::Linux) {
  return mayLoad(readPythonSource(text, platform).loadingCode, library);
}

TEST(PythonSource, CodeLoadsTheLibrariesThatItNames) {
  EXPECT_FALSE(loads("import ctypes\nname = 'libx-1.so'\n"));
  EXPECT_TRUE(loads("def f():\n  ctypes.CDLL('libx-1.so.2')\n"));
  EXPECT_TRUE(loads("for name in ('libw', 'libx-1'):\n  ctypes.CDLL(name + '.so')\n"));
  EXPECT_FALSE(loads("ctypes.CDLL(None)\n"));
  EXPECT_FALSE(loads("ctypes.CDLL('libc.so.6') # before libx-1.so.2\n"));
  EXPECT_FALSE(loads("\"\"\"ctypes.CDLL('libx-1.so')\"\"\"\n"));
}

TEST(PythonSource, CodeLoadsWhatItFindsInADirectory) {
  EXPECT_TRUE(loads("for each in folder.glob('*.so*'):\n  ctypes.CDLL(each)\n"));
  EXPECT_FALSE(loads("for each in folder.glob('*.so*'):\n  print(each)\n"));
  EXPECT_FALSE(loads("os.add_dll_directory(x)\n"));
  EXPECT_TRUE(loads("os.add_dll_directory(x)\n", "x.dll", Platform::Windows));
}

TEST(PythonSource, AnyTextIsReadToItsEnd) {
  std::string deep = "if ";
  for (size_t i = 0; i < 1'000'000; ++i)
    deep += "not ";
  EXPECT_THAT(importsIn(deep + "True: import a\n"), IsEmpty());
  for (llvm::StringRef text : {"", "\n", "'", "\"\"\"", "'\\", "((", "))\nimport a", "if",
                               "else:", "from", "from ", "from .", "import ", "from . import (",
                               "import_module(", "\\", "if x", "try", "\xef\xbb\xbf"})
    importsIn(text);
}

} // namespace
} // namespace tcfix::env
