// Common to all loaders: processes, clones, overrides, replaced bytes, and unknown disks. ld.so's
// own rules are compared with the real one (test_ld_so.py).
#include "resolve/world.h"

namespace tcfix::resolve {
namespace {

using test::ElfSpec;
using testing::ElementsAre;
using testing::IsEmpty;
using State = Binding::State;

ByteVector elf(std::vector<std::string> needed, std::string runpath = {}, std::string rpath = {}) {
  ElfSpec spec;
  spec.needed = std::move(needed);
  spec.runpath = std::move(runpath);
  spec.rpath = std::move(rpath);
  spec.versions = {};
  spec.symbols = {};
  spec.soname = {};
  return test::buildElf(spec).bytes;
}

TEST(Session, AFailedLoadLeavesTheProcessAsItWas) {
  World world;
  world.add("/p/liba.so", elf({"libgone.so"}));
  std::string root = world.add("/p/root.so", elf({"liba.so"}, "$ORIGIN"));
  Session session = world.session();
  LoadResult result = session.load(root);
  EXPECT_EQ(result.verdict, Verdict::Fails);
  EXPECT_EQ(result.problems[0].dependency, "libgone.so");
  EXPECT_EQ(result.problems[0].message,
            "liba.so (needed by root.so) needs libgone.so, which was not found");
  EXPECT_THAT(session.loaded(), IsEmpty());
}

TEST(Session, ACloneIsIndependent) {
  World world;
  std::string a = world.add("/p/liba.so", elf({}));
  Session session = world.session();
  Session clone = session.clone();
  clone.load(a);
  EXPECT_THAT(clone.loaded(), ElementsAre(a));
  EXPECT_THAT(session.loaded(), IsEmpty());
}

TEST(Session, AnOverrideReplacesTheFile) {
  World world;
  world.add("/q/libnew.so", elf({}));
  std::string root = world.add("/p/root.so", elf({"libold.so", "libpython3.12.so.1.0"}));
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Fails);
  Session session = world.session();
  session.overrideLibrary(root, {.dependencies = {{"libnew.so"}, {"libpython3.12.so.1.0"}},
                                 .isDropped = {false, true},
                                 .searchPaths = {"$ORIGIN/../q"},
                                 .searchPathKind = SearchPathKind::Rpath});
  LoadResult result = session.clone().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(result.bindings.size(), 1u);
}

TEST(Session, ReplacedBytesReplaceTheFile) {
  World world;
  std::string root = world.add("/p/root.so", elf({"libgone.so"}));
  ByteVector original = elf({});
  world.store.replace(root, original);
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Loads);
}

TEST(Session, BaseLibrariesAreAssumedWithoutLibc) {
  World world;
  std::string root = world.add("/p/root.so", elf({"libc.so.6", "libstdc++.so.6", "libm.so.6"}));
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "libc.so.6").state, State::Assumed);
  // A system either has all of them or none.
  World full;
  full.add("/usr/lib64/libc.so.6", elf({}));
  EXPECT_THAT(codesOf(full.session().load(full.add("/p/root.so", elf({"libstdc++.so.6"})))),
              ElementsAre("missing-dependency"));
}

TEST(Session, LibrariesOnAnotherMachineAreUnknown) {
  support::TemporaryFolder folder;
  io::TargetDisk disk({.knowsAbsolutePaths = false});
  LibraryStore store(disk);
  std::string root = folder.write("root.so", elf({"libavutil.so.59", "libc.so.6"}));
  LoadResult result = Session(store, {}).load(root);
  EXPECT_EQ(result.verdict, Verdict::Unknown);
  EXPECT_EQ(bindingOf(result, "libavutil.so.59").state, State::Unknown);
  EXPECT_EQ(bindingOf(result, "libc.so.6").state, State::Assumed);
}

TEST(Session, LdSoConfIsUsedWithoutACache) {
  World world;
  world.add("/etc/ld.so.conf", bytesOf("include /etc/ld.so.conf.d/*.conf\n"));
  world.add("/etc/ld.so.conf.d/mine.conf", bytesOf("# comment\n/opt/mine # more\n"));
  world.add("/opt/mine/liba.so", elf({}));
  std::string root = world.add("/p/root.so", elf({"liba.so"}));
  EXPECT_EQ(bindingOf(world.session().load(root), "liba.so").how.text(),
            "default directory /opt/mine");
}

TEST(Session, ALinkIsResolvedInTheSysroot) {
  World world;
  world.add("/real/liba.so", elf({}));
  world.link("/p/lib", "/real");
  std::string root = world.add("/p/root.so", elf({"liba.so"}, "$ORIGIN/lib"));
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Loads);
}

TEST(Session, OtherFilesAreReported) {
  World world;
  std::string text = world.add("/p/root.so", bytesOf("hello"));
  EXPECT_THAT(codesOf(world.session().load(text)), ElementsAre("unreadable"));
  EXPECT_THAT(codesOf(world.session().load(world.at("/p/nothing.so"))), ElementsAre("unreadable"));
}

TEST(LibraryStore, AClosedFileKeepsItsImage) {
  World world;
  std::string root = world.add("/p/root.so", elf({"libold.so"}));
  std::shared_ptr<const io::InputFile> file = world.store.file(root);
  world.store.close(root);
  EXPECT_EQ(file.use_count(), 1);
  EXPECT_EQ(world.store.file(root), nullptr);
  auto needed = [&](LibraryStore& store) {
    return llvm::cantFail(store.image(root))->slices.front().dependencies.front().name;
  };
  world.add("/p/root.so", elf({"libnew.so"}));
  LibraryStore next = world.store.after({root});
  EXPECT_EQ(needed(world.store), "libold.so");
  EXPECT_EQ(needed(next), "libnew.so");
}

} // namespace
} // namespace tcfix::resolve
