// The public interface converts values and errors correctly. The behaviour of the functions is
// tested where they are implemented.
#include "tcfix/tcfix.h"

#include "support/folder_tree.h"
#include "support/macho_builder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ByteVector library() {
  return buildMachO(signedAs(SignatureStyle::AdHoc));
}

TEST(Api, InspectsALibrary) {
  TemporaryFolder folder;
  auto image = api::inspect(folder.write("libdemo.dylib", library()), {/*withSymbols=*/true});
  ASSERT_TRUE(image);
  EXPECT_EQ(image->format, Format::MachO);
  ASSERT_EQ(image->slices.size(), 1u);
  const Slice& slice = image->slices.front();
  EXPECT_EQ(slice.arch, "arm64");
  EXPECT_EQ(slice.dependencies.front().name, "/usr/lib/libSystem.B.dylib");
  EXPECT_EQ(slice.signature->state, SignatureState::Valid);
  EXPECT_THAT(slice.exports, ElementsAre("_demo"));
}

TEST(Api, AnErrorHasCodeMessagePathAndHint) {
  TemporaryFolder folder;
  auto absent = api::inspect(folder.path("absent"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, "not-found");
  EXPECT_EQ(absent.error().path, folder.path("absent"));
  EXPECT_FALSE(absent.error().message.empty());
  EXPECT_THROW(*absent, std::bad_variant_access);

  std::string path = folder.write("libdemo.dylib", library());
  auto removed = api::edit(path, {RemoveDependency{"/usr/lib/libSystem.B.dylib"}});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, "unsupported");
  EXPECT_EQ(removed.error().path, path);
  EXPECT_FALSE(removed.error().hint.empty());
}

TEST(Api, EditsAndUndoes) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", library());
  api::EditOptions options;
  options.journal = folder.path("journal");
  options.isDryRun = true;
  auto planned = api::edit(path, {AddSearchPath{"/opt/a"}}, options);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->status, api::FileStatus::WouldChange);
  EXPECT_TRUE(readFile(path) == library());

  options.isDryRun = false;
  auto edited = api::edit(path, {AddSearchPath{"/opt/a"}}, options);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->status, api::FileStatus::Changed);
  ASSERT_FALSE(edited->changes.empty());
  EXPECT_EQ(edited->changes.front().operation, Operation::AddRpath);
  EXPECT_EQ(edited->sha256After, planned->sha256After);
  EXPECT_THAT(api::inspect(path)->slices.front().searchPaths, ElementsAre("/opt/a"));
  EXPECT_TRUE(api::verify(path)->isValid);

  auto again = api::edit(path, {AddSearchPath{"/opt/a"}}, options);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, api::FileStatus::Unchanged);

  auto undone = api::undoJournal(options.journal);
  ASSERT_TRUE(undone);
  EXPECT_THAT(undone->restored, ElementsAre(path));
  EXPECT_THAT(undone->errors, IsEmpty());
  EXPECT_TRUE(readFile(path) == library());
}

TEST(Api, SignsAndVerifies) {
  TemporaryFolder folder;
  std::string path = folder.write("libdemo.dylib", buildMachO({}));
  auto unsignedFile = api::verify(path);
  ASSERT_TRUE(unsignedFile);
  EXPECT_FALSE(unsignedFile->isValid);
  EXPECT_EQ(unsignedFile->problems.size(), 1u);
  ASSERT_TRUE(api::sign(path));
  EXPECT_TRUE(api::verify(path)->isValid);
}

TEST(Api, SimulatesTheLoader) {
  TemporaryFolder folder;
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies.push_back({"@loader_path/libsibling.dylib"});
  spec.dependencies.push_back({"@loader_path/libmissing.dylib"});
  std::string path = folder.write("libdemo.dylib", buildMachO(spec));
  std::string sibling = folder.write("libsibling.dylib", library());
  auto simulated = api::simulate(path);
  ASSERT_TRUE(simulated);
  EXPECT_EQ(simulated->verdict, api::Verdict::Fails);
  EXPECT_FALSE(simulated->problems.empty());
  for (const api::Binding& binding : simulated->bindings) {
    if (binding.dependency == "@loader_path/libsibling.dylib") {
      EXPECT_EQ(binding.state, api::Binding::State::Found);
      EXPECT_THAT(binding.provider, testing::EndsWith("/libsibling.dylib"));
    }
    if (binding.dependency == "@loader_path/libmissing.dylib") {
      EXPECT_EQ(binding.state, api::Binding::State::Missing);
      EXPECT_FALSE(binding.tried.empty());
    }
  }
}

TEST(Api, AppliesAndUndoesInAnEnvironment) {
  FolderTree folder;
  const std::string site = "lib/python3.12/site-packages/";
  folder.file("pyvenv.cfg", "home = /usr/bin\n");
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies.push_back({"@rpath/libtorch.dylib"});
  std::string path = folder.file(site + "torchcodec/libtorchcodec_core7.dylib", buildMachO(spec));
  spec.id = "@rpath/libtorch.dylib";
  spec.dependencies.pop_back();
  folder.file(site + "torch/version.py", "__version__ = '2.8.0'\n");
  folder.file(site + "torch/lib/libtorch.dylib", buildMachO(spec));

  api::ApplyReport applied = api::apply(folder.path());
  EXPECT_THAT(applied.errors, IsEmpty());
  ASSERT_EQ(applied.files.size(), 1u);
  EXPECT_EQ(applied.files.front().status, api::FileStatus::Changed);
  EXPECT_THAT(api::inspect(path)->slices.front().searchPaths,
              testing::Contains("@loader_path/../torch/lib"));

  auto undone = api::undo(folder.path());
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->restored.size(), 1u);
  EXPECT_THAT(api::inspect(path)->slices.front().searchPaths, IsEmpty());
}

TEST(Api, ReportsAMissingTarget) {
  TemporaryFolder folder;
  api::ApplyReport report = api::apply(folder.path("absent"));
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors.front().code, "not-found");
}

} // namespace
} // namespace tcfix::support
