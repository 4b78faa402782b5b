// The output of inspect for every kind of Mach-O file.

#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct ArchitectureCase {
  const char* name;
  Architecture arch;
};

class EveryArchitecture : public testing::TestWithParam<ArchitectureCase> {};

TEST_P(EveryArchitecture, IsRead) {
  MachOSpec spec;
  spec.arch = GetParam().arch;
  spec.dependencies = {{"@rpath/liba.dylib"}, {"/usr/lib/libSystem.B.dylib"}};
  spec.rpaths = {"@loader_path/x", "/opt/y"};
  Slice slice = sliceOf(buildMachO(spec));
  EXPECT_EQ(slice.arch, GetParam().name);
  EXPECT_EQ(slice.fileType, "shared library");
  EXPECT_EQ(slice.identity, "@rpath/libdemo.dylib");
  ASSERT_EQ(slice.dependencies.size(), 2u);
  EXPECT_EQ(slice.dependencies[0].name, "@rpath/liba.dylib");
  EXPECT_EQ(slice.dependencies[1].name, "/usr/lib/libSystem.B.dylib");
  EXPECT_THAT(slice.searchPaths, ElementsAre("@loader_path/x", "/opt/y"));
  EXPECT_EQ(slice.minOs, "11.0");
  EXPECT_FALSE(slice.searchPathKind) << "only ELF has kinds";
  EXPECT_THAT(slice.details, Contains(Pair("uuid", "00112233445566778899AABBCCDDEEFF")));
  EXPECT_THAT(slice.details, Contains(Pair("platform", "macOS 11.0, SDK 14.4")));
}

TEST_P(EveryArchitecture, SymbolsNameTheirDependency) {
  MachOSpec spec;
  spec.arch = GetParam().arch;
  spec.dependencies = {{"@rpath/liba.dylib"}, {"/usr/lib/libSystem.B.dylib"}};
  spec.symbols = {{"_one"}, {"_two"}, {"_from_a", 1}, {"_malloc", 2}, {"_flat", 254}};
  Image image = valueOf(formats::inspect(buildMachO(spec), {/*withSymbols=*/true}));
  ASSERT_EQ(image.slices.size(), 1u);
  const Slice& slice = image.slices.front();
  EXPECT_THAT(slice.exports, ElementsAre("_one", "_two"));
  ASSERT_EQ(slice.imports.size(), 3u);
  EXPECT_EQ(slice.imports[0].name, "_from_a");
  EXPECT_EQ(slice.imports[0].from, "@rpath/liba.dylib");
  EXPECT_EQ(slice.imports[1].from, "/usr/lib/libSystem.B.dylib");
  EXPECT_EQ(slice.imports[2].from, "") << "a flat lookup has no provider";
}

INSTANTIATE_TEST_SUITE_P(Inspect, EveryArchitecture,
                         testing::Values(ArchitectureCase{"arm64", kArm64},
                                         ArchitectureCase{"arm64e", kArm64e},
                                         ArchitectureCase{"x86_64", kX86_64},
                                         ArchitectureCase{"i386", kI386},
                                         ArchitectureCase{"ppc", kPpc}),
                         [](const auto& param) { return param.param.name; });

TEST(Inspect, TheExportTrieOverridesTheSymbolTable) {
  MachOSpec spec;
  // A root with one edge, "_e", to a node that exports address 0x10.
  spec.exportTrie = {0, 1, '_', 'e', 0, 6, 2, 0, 0x10, 0, 0, 0};
  Image image = valueOf(formats::inspect(buildMachO(spec), {/*withSymbols=*/true}));
  ASSERT_EQ(image.slices.size(), 1u);
  EXPECT_THAT(image.slices[0].exports, ElementsAre("_e"));
}

TEST(Inspect, EveryKindOfDependencyHasItsName) {
  MachOSpec spec;
  spec.dependencies = {{"normal", LC_LOAD_DYLIB},
                       {"weak", LC_LOAD_WEAK_DYLIB},
                       {"reexport", LC_REEXPORT_DYLIB},
                       {"upward", LC_LOAD_UPWARD_DYLIB},
                       {"lazy", LC_LAZY_LOAD_DYLIB}};
  std::vector<DependencyKind> kinds;
  Slice slice = sliceOf(buildMachO(spec));
  for (const Dependency& dependency : slice.dependencies)
    kinds.push_back(dependency.kind);
  EXPECT_THAT(kinds,
              ElementsAre(DependencyKind::Normal, DependencyKind::Weak, DependencyKind::Reexport,
                          DependencyKind::Upward, DependencyKind::Delay));
}

TEST(Inspect, BundlesAndExecutablesHaveNoIdentity) {
  MachOSpec bundle, executable;
  bundle.fileType = MH_BUNDLE;
  executable.fileType = MH_EXECUTE;
  EXPECT_EQ(sliceOf(buildMachO(bundle)).fileType, "bundle");
  EXPECT_FALSE(sliceOf(buildMachO(bundle)).identity);
  EXPECT_EQ(sliceOf(buildMachO(executable)).fileType, "executable");
  EXPECT_FALSE(sliceOf(buildMachO(executable)).identity);
}

TEST(Inspect, AnOlderVersionCommandIsUsed) {
  MachOSpec spec;
  spec.hasBuildVersion = false;
  EXPECT_EQ(sliceOf(buildMachO(spec)).minOs, "10.15.7");
}

TEST(Inspect, HeaderRoomEndsAtTheFirstSection) {
  for (uint64_t padding : {0, 8, 40, 512, 14484}) {
    MachOSpec spec;
    spec.headerPadding = padding;
    EXPECT_THAT(
        sliceOf(buildMachO(spec)).details,
        Contains(Pair("padding", std::to_string(padding) + " bytes after the load commands")));
  }
}

TEST(Inspect, DuplicateSearchPathsAreShown) {
  MachOSpec spec;
  spec.rpaths = {"/a", "/b", "/a"};
  EXPECT_THAT(sliceOf(buildMachO(spec)).searchPaths, ElementsAre("/a", "/b", "/a"));
}

struct SignatureCase {
  const char* name;
  SignatureStyle style;
  SignatureState state;
  std::optional<SignatureKind> kind;
};

class EverySignature : public testing::TestWithParam<SignatureCase> {};

TEST_P(EverySignature, IsVerifiedAndDescribed) {
  for (const Architecture& arch : {kArm64, kX86_64, kI386, kPpc}) {
    MachOSpec spec = signedAs(GetParam().style);
    spec.arch = arch;
    std::optional<SignatureSummary> signature = sliceOf(buildMachO(spec)).signature;
    ASSERT_TRUE(signature);
    EXPECT_EQ(signature->state, GetParam().state);
    EXPECT_EQ(signature->kind, GetParam().kind);
    EXPECT_EQ(signature->identifier, GetParam().kind ? "libdemo" : "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Inspect, EverySignature,
    testing::Values(
        SignatureCase{"None", SignatureStyle::None, SignatureState::None, std::nullopt},
        SignatureCase{"AdHoc", SignatureStyle::AdHoc, SignatureState::Valid, SignatureKind::AdHoc},
        SignatureCase{"LinkerSigned", SignatureStyle::LinkerSigned, SignatureState::Valid,
                      SignatureKind::LinkerSigned},
        SignatureCase{"TwoDirectories", SignatureStyle::TwoDirectories, SignatureState::Valid,
                      SignatureKind::AdHoc},
        SignatureCase{"Cms", SignatureStyle::Cms, SignatureState::Valid, SignatureKind::Cms}),
    [](const auto& param) { return param.param.name; });

TEST(InspectUniversal, HasOneDescriptionForEachSlice) {
  std::vector<UniversalSlice> slices;
  for (const Architecture& arch : {kX86_64, kArm64, kArm64e, kI386, kPpc}) {
    MachOSpec spec;
    spec.arch = arch;
    slices.push_back({arch, buildMachO(spec)});
  }
  for (bool isWide : {false, true})
    for (uint64_t gap : {0, 0x8000}) {
      UniversalSpec spec;
      spec.hasWideTable = isWide;
      spec.gap = gap;
      Image image = valueOf(formats::inspect(buildUniversal(slices, spec)));
      EXPECT_TRUE(image.isUniversal);
      std::vector<std::string> names;
      for (const Slice& slice : image.slices)
        names.push_back(slice.arch);
      EXPECT_THAT(names, ElementsAre("x86_64", "arm64", "arm64e", "i386", "ppc"));
    }
}

TEST(InspectUniversal, AThinFileIsNotUniversal) {
  EXPECT_FALSE(valueOf(formats::inspect(buildMachO({}))).isUniversal);
}

TEST(Verify, OnlyAppleSiliconMustBeSigned) {
  MachOSpec intel;
  intel.arch = kX86_64;
  EXPECT_THAT(signatureProblems(buildMachO(intel)), IsEmpty());
  for (const Architecture& arch : {kArm64, kArm64e}) {
    MachOSpec apple;
    apple.arch = arch;
    EXPECT_EQ(signatureProblems(buildMachO(apple)).size(), 1u);
  }
}

} // namespace
} // namespace tcfix::support
