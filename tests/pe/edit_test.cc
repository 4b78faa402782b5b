#include "support.h"

#include <gmock/gmock.h>
#include <llvm/BinaryFormat/COFF.h>
#include <llvm/Support/Endian.h>

namespace tcfix::pe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Edit> kConvert = {DelayDependency{"first.dll"},
                                    AddSearchPath{R"($ORIGIN\..\lib)"}};

struct Case {
  const char* name;
  PeRecipe recipe;
};

std::vector<Case> cases() {
  std::vector<Case> all = {{"Plain", {}}};
  auto add = [&](const char* name) -> PeRecipe& {
    all.push_back({name, {}});
    return all.back().recipe;
  };
  add("WithoutEntryPoint").hasEntryPoint = false;
  add("WithTlsCallback").hasTlsCallback = true;
  add("WithoutUnwindTable").hasUnwindTable = false;
  add("TightUnwindTable").isUnwindTableTight = true;
  add("Checksum").hasChecksum = true;
  add("BoundImports").hasBoundImports = true;
  add("Overlay").overlay = "data after the image, of an odd length";
  PeRecipe& symbols = add("OverlayWithSymbols");
  symbols.overlay = "symbols";
  symbols.hasSymbolTable = true;
  add("LinkerDelays").imports.push_back({"third.dll", {"delta"}, true, true, true});
  add("NoLookupTable").imports[1].hasLookupTable = false;
  add("LargeAlignments").fileAlignment = 0x1000;
  add("LargeSectionAlignment").sectionAlignment = 0x10000;
  PeRecipe& everything = add("Everything");
  everything.hasTlsCallback = everything.isUnwindTableTight = everything.hasChecksum = true;
  everything.hasBoundImports = true;
  everything.overlay = "overlay";
  everything.imports.push_back({"third.dll", {"delta"}, true, true, true});
  return all;
}

class Conversion : public testing::TestWithParam<Case> {};

TEST_P(Conversion, MovesTheDependencyAndEmbedsTheList) {
  ByteVector original = buildPe(GetParam().recipe);
  ByteVector converted = edited(original, kConvert);
  EXPECT_THAT(dependenciesOf(converted), HasSubstr("first.dll(delay)"));
  EXPECT_THAT(dependenciesOf(converted), HasSubstr("KERNEL32.dll second.dll"));
  EXPECT_THAT(sliceOf(converted).searchPaths, ElementsAre(R"($ORIGIN\..\lib)"));
  EXPECT_THAT(problemsOf(original), ElementsAre());
  EXPECT_THAT(problemsOf(converted), ElementsAre());
}

TEST_P(Conversion, IsIdempotent) {
  ByteVector converted = edited(buildPe(GetParam().recipe), kConvert);
  EditOutcome again = outcomeOf(converted, kConvert);
  EXPECT_TRUE(again.rewrite.isIdentity());
  EXPECT_TRUE(again.changes.empty());
}

TEST_P(Conversion, UndelayRestoresTheOriginalBytes) {
  ByteVector original = buildPe(GetParam().recipe);
  ByteVector converted = edited(original, kConvert);
  EXPECT_EQ(edited(converted, {UndelayDependency{"*"}, RemoveSearchPath{R"($ORIGIN\..\lib)"}}),
            original);
}

TEST_P(Conversion, ReverseRewriteRestoresTheOriginalBytes) {
  ByteVector original = buildPe(GetParam().recipe);
  Rewrite forward = outcomeOf(original, kConvert).rewrite;
  EXPECT_EQ(rewritten(reverseOf(forward, original), rewritten(forward, original)), original);
}

TEST_P(Conversion, InStepsOrAtOnceIsTheSame) {
  ByteVector original = buildPe(GetParam().recipe);
  ByteVector atOnce = edited(original, {DelayDependency{"*.dll"}, AddSearchPath{"C:\\a"},
                                        RenameDependency{"second.dll", "longer-name.dll"}});
  ByteVector steps = edited(original, {AddSearchPath{"C:\\b"}});
  steps = edited(steps, {DelayDependency{"first.dll"}});
  steps = edited(steps, {RenameDependency{"second.dll", "longer-name.dll"}});
  steps = edited(steps, {DelayDependency{"longer-name.dll"}});
  steps = edited(steps, {ReplaceSearchPath{"C:\\b", "C:\\a"}});
  EXPECT_EQ(steps, atOnce);
}

TEST_P(Conversion, KeepsWhatFollowsTheImage) {
  const PeRecipe& recipe = GetParam().recipe;
  ByteVector converted = edited(buildPe(recipe), kConvert);
  EXPECT_TRUE(textOf(converted).ends_with(recipe.overlay));
  if (recipe.hasSymbolTable) {
    uint32_t pointer = llvm::support::endian::read32le(converted.data() + 0x80 + 12);
    EXPECT_EQ(textOf(converted).substr(pointer), recipe.overlay);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, Conversion, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.name; });

TEST(Edit, NoEditsMeanIdenticalBytes) {
  EXPECT_TRUE(valueOf(rewrite(buildPe({}), {}, {})).rewrite.isIdentity());
  PeRecipe recipe;
  recipe.certificateSize = 64;
  EXPECT_TRUE(support::outcomeOf(buildPe(recipe), droppingCertificates({RemoveSearchPath{"x"}}))
                  .rewrite.isIdentity());
}

TEST(Edit, GlobsDoNotTouchKernel32) {
  EditOutcome outcome = outcomeOf(buildPe({}), {DelayDependency{"*"}});
  EXPECT_EQ(outcome.changes.size(), 2u);
  EXPECT_EQ(outcome.warnings.size(), 1u);
  EXPECT_EQ(refusalOf(buildPe({}), {DelayDependency{"kernel32.DLL"}}), "unsupported");
}

TEST(Edit, AMissingDependencyIsAWarning) {
  for (Edit edit : std::vector<Edit>{DelayDependency{"x.dll"}, UndelayDependency{"x.dll"},
                                     RenameDependency{"x.dll", "y.dll"}}) {
    EditOutcome outcome = outcomeOf(buildPe({}), {edit});
    EXPECT_TRUE(outcome.rewrite.isIdentity());
    EXPECT_EQ(outcome.warnings.size(), 1u);
  }
}

TEST(Edit, RefusesUnsupportedEdits) {
  for (Edit edit : std::vector<Edit>{
           SetSearchPathKind{SearchPathKind::Rpath}, AddDependency{"x.dll"}, SetIdentity{"x.dll"},
           AddSearchPath{"lib"}, AddSearchPath{"\\lib"}, AddSearchPath{"%x"},
           AddSearchPath{"$ORIGINAL\\x"}, ReplaceSearchPath{"a", "..\\b"},
           RenameDependency{"first.dll", "C:\\first.dll"},
           RenameDependency{"first.dll", "snow \u2603.dll"}})
    EXPECT_EQ(refusalOf(buildPe({}), {edit}), "unsupported");
  EXPECT_EQ(refusalOf(buildPe({}), {DelayDependency{"[a"}}), "usage");
}

TEST(Edit, DelayIsRefusedIfTheHelperCannotRun) {
  std::vector<PeRecipe> recipes(3);
  recipes[0] = support::recipeFor32Bit();
  recipes[1].machine = llvm::COFF::IMAGE_FILE_MACHINE_ARM64;
  recipes[2].dllCharacteristics |= llvm::COFF::IMAGE_DLL_CHARACTERISTICS_GUARD_CF;
  recipes.emplace_back().isDll = false;
  for (const PeRecipe& recipe : recipes)
    EXPECT_EQ(refusalOf(buildPe(recipe), {DelayDependency{"first.dll"}}), "unsupported");
}

TEST(Edit, NoRoomForSectionsIsReportedWithNumbers) {
  PeRecipe recipe;
  recipe.fileAlignment = 0x20; // headers of exactly the size needed
  Problem problem = support::refusal(buildPe(recipe), kConvert);
  EXPECT_EQ(problem.code, ErrorCode::NoRoom);
  EXPECT_THAT(problem.message, HasSubstr("80 bytes needed"));
}

TEST(Edit, ACertificateIsDroppedOnlyOnRequest) {
  PeRecipe recipe;
  recipe.certificateSize = 64;
  recipe.overlay = "kept";
  ByteVector original = buildPe(recipe);
  EXPECT_EQ(refusalOf(original, kConvert), "foreign-signature");
  ByteVector converted =
      rewritten(support::outcomeOf(original, droppingCertificates(kConvert)).rewrite, original);
  EXPECT_THAT(sliceOf(converted).details, testing::Contains(testing::Pair("certificate", "none")));
  EXPECT_THAT(textOf(converted).take_back(8).str(), HasSubstr("kept"));
  recipe.dllCharacteristics |= llvm::COFF::IMAGE_DLL_CHARACTERISTICS_FORCE_INTEGRITY;
  Problem problem =
      support::problemOf(formats::rewrite(buildPe(recipe), {}, droppingCertificates(kConvert)));
  EXPECT_EQ(problem.code, ErrorCode::Conflict);
}

TEST(Edit, LazyIsForCalledFunctionsOnly) {
  PeRecipe recipe;
  recipe.imports[2].isCalled = false;
  ByteVector original = buildPe(recipe);
  EXPECT_EQ(refusalOf(original, {DelayDependency{"second.dll", true}}), "unsupported");
  ByteVector lazy = edited(original, {DelayDependency{"first.dll", true}});
  EXPECT_THAT(problemsOf(lazy), ElementsAre());
  EXPECT_TRUE(outcomeOf(lazy, {DelayDependency{"first.dll", true}}).rewrite.isIdentity());
  EXPECT_EQ(edited(lazy, {DelayDependency{"first.dll"}}),
            edited(original, {DelayDependency{"first.dll"}}));
}

TEST(Edit, OnlyUnusedImportsCanBeRemoved) {
  for (PeRecipe recipe : {PeRecipe{}, support::recipeFor32Bit()}) {
    recipe.imports[1].isCalled = false;
    recipe.hasTlsCallback = true; // so that there are base relocations to look through
    recipe.imports.push_back({"empty.dll", {}});
    ByteVector original = buildPe(recipe);
    EXPECT_EQ(refusalOf(original, {RemoveDependency{"second.dll"}}), "conflict");
    EXPECT_EQ(dependenciesOf(
                  edited(original, {RemoveDependency{"FIRST.dll"}, RemoveDependency{"empty.dll"}})),
              "KERNEL32.dll second.dll");
    EXPECT_TRUE(outcomeOf(original, {RemoveDependency{"absent.dll"}}).rewrite.isIdentity());
  }
  PeRecipe arm;
  arm.machine = llvm::COFF::IMAGE_FILE_MACHINE_ARM64;
  EXPECT_EQ(refusalOf(buildPe(arm), {RemoveDependency{"first.dll"}}), "unsupported");
}

TEST(Edit, ARemovalStaysAfterUndelay) {
  PeRecipe recipe;
  recipe.imports[2].isCalled = false;
  ByteVector original = buildPe(recipe);
  ByteVector removed = edited(original, {RemoveDependency{"second.dll"}});
  ByteVector converted = edited(edited(original, kConvert), {RemoveDependency{"second.dll"}});
  EXPECT_EQ(converted, edited(removed, kConvert));
  EXPECT_EQ(edited(converted, {UndelayDependency{"*"}, RemoveSearchPath{R"($ORIGIN\..\lib)"}}),
            removed);
}

class Rename : public testing::TestWithParam<const char*> {};

TEST_P(Rename, WorksForEveryMachineAndBothWays) {
  std::vector<PeRecipe> recipes(2);
  recipes[0].imports[2].isDelay = true;
  recipes[1].machine = llvm::COFF::IMAGE_FILE_MACHINE_ARM64;
  recipes.push_back(support::recipeFor32Bit());
  recipes.emplace_back().hasChecksum = true;
  for (const PeRecipe& recipe : recipes)
    for (std::string name : {"first.dll", "second.dll"}) {
      ByteVector original = buildPe(recipe);
      ByteVector renamed = edited(original, {RenameDependency{name, GetParam()}});
      EXPECT_THAT(dependenciesOf(renamed), HasSubstr(GetParam()));
      EXPECT_THAT(dependenciesOf(renamed), testing::Not(HasSubstr(name)));
      EXPECT_THAT(problemsOf(renamed), ElementsAre());
      EXPECT_TRUE(outcomeOf(renamed, {RenameDependency{name, GetParam()}}).rewrite.isIdentity());
      EXPECT_EQ(dependenciesOf(edited(renamed, {RenameDependency{GetParam(), name}})),
                dependenciesOf(original));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Names, Rename,
    testing::Values("x.dll", "FIRST.DLL.x", "a-name-that-needs-padding-or-a-section.dll",
                    "a-very-long-name-that-fits-into-no-padding-of-any-section-so-that-it-"
                    "needs-one-of-its-own-0123456789-0123456789-0123456789-0123456789-"
                    "0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-"
                    "0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-"
                    "0123456789-0123456789-0123456789-0123456789-0123456789-012345678.dll"),
    [](const auto& param) { return "Length" + std::to_string(strlen(param.param)); });

TEST(Edit, ListEditsStayInPlaceWhileTheyFit) {
  ByteVector converted = edited(buildPe({}), kConvert);
  EditOutcome outcome = outcomeOf(converted, {AddSearchPath{"%FFMPEG_SHARED_BIN%"}});
  EXPECT_EQ(outcome.rewrite.newSize, converted.size());
  EXPECT_LT(bytesChanged(outcome.rewrite), 64u);
  std::vector<Edit> many;
  for (int i = 0; i < 100; ++i)
    many.push_back(AddSearchPath{R"(\\server\share\number)" + std::to_string(i)});
  ByteVector grown = edited(converted, many);
  EXPECT_GT(grown.size(), converted.size());
  EXPECT_EQ(sliceOf(grown).searchPaths.size(), 101u);
  EXPECT_THAT(problemsOf(grown), ElementsAre());
}

TEST(Edit, NonAsciiPathsAreKept) {
  ByteVector converted = edited(
      buildPe({}), {DelayDependency{"first.dll"}, AddSearchPath{"C:\\\u00dc\u2603\U0001F600"}});
  EXPECT_THAT(sliceOf(converted).searchPaths, ElementsAre("C:\\\u00dc\u2603\U0001F600"));
  EXPECT_EQ(refusalOf(converted, {AddSearchPath{"C:\\\xff"}}), "unsupported");
}

TEST(Edit, AListWithoutDelaysIsKeptWithAWarning) {
  EditOutcome outcome = outcomeOf(buildPe(support::recipeFor32Bit()), {AddSearchPath{"C:\\a"}});
  EXPECT_EQ(outcome.warnings.size(), 1u);
  EXPECT_EQ(outcome.changes.size(), 1u);
}

TEST(Edit, SectionsAddedByOtherToolsAreRefused) {
  ByteVector converted = edited(buildPe({}), kConvert);
  // The last section's name is in the last section header.
  size_t at = textOf(converted).find(".tcfixd");
  ASSERT_NE(at, llvm::StringRef::npos);
  std::copy_n(".other\0", 7, converted.begin() + at);
  std::copy_n(".tcfixd", 7, converted.begin() + at - 40);
  EXPECT_EQ(refusalOf(converted, kConvert), "unsupported");
}

} // namespace
} // namespace tcfix::pe
