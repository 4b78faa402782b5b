// Names of wheels: parsed, and changed.

#include "support/outcomes.h"
#include "wheel/wheel_name.h"

namespace tcfix::support {
namespace {

using wheel::repairedVersion;
using wheel::WheelName;

TEST(WheelName, KeepsEveryPart) {
  for (const char* text : {"torchcodec-0.9.1-cp312-cp312-win_amd64.whl",
                           "torchcodec-0.9.1+cpu-1build-py3.py2-none-any.WHL"})
    EXPECT_EQ(valueOf(WheelName::parse(text)).text(), text);
  WheelName name = valueOf(WheelName::parse("torchcodec-0.9.1-2-cp312-cp312-win_amd64.whl"));
  EXPECT_EQ(name.distribution, "torchcodec");
  EXPECT_EQ(name.version, "0.9.1");
  EXPECT_EQ(name.rest, "-2-cp312-cp312-win_amd64.whl");
}

TEST(WheelName, RefusesOthers) {
  for (const char* text : {"", ".whl", "torchcodec.whl", "torchcodec-0.9.1.zip", "a-1-b-c-d.zip",
                           "a-1-b-c.whl", "a-1-2-b-c-d-e.whl", "a--b-c-d.whl", "-1-b-c-d.whl"})
    EXPECT_EQ(problemOf(WheelName::parse(text)).code, ErrorCode::Malformed) << text;
}

TEST(WheelName, RepairedVersions) {
  EXPECT_EQ(repairedVersion("0.9.1", false), "0.9.1+tcfix1");
  EXPECT_EQ(repairedVersion("0.9.1+cpu", true), "0.9.1+cpu.tcfix1");
  EXPECT_EQ(repairedVersion("0.9.1_cpu", true), "0.9.1_cpu.tcfix1"); // written by old tools
  EXPECT_EQ(repairedVersion("0.9.1+tcfix1", true), "0.9.1+tcfix2");
  EXPECT_EQ(repairedVersion("0.9.1+cpu.tcfix9", true), "0.9.1+cpu.tcfix10");
  EXPECT_EQ(repairedVersion("0.9.1+tcfix", true), "0.9.1+tcfix.tcfix1");
  EXPECT_EQ(repairedVersion("0.9.1+cu128", true), "0.9.1+cu128.tcfix1");
}

std::optional<Version> leastOf(const std::string& tags) {
  return valueOf(WheelName::parse("a-1-cp312-cp312-" + tags + ".whl")).leastSystem();
}

TEST(WheelName, LeastSystem) {
  EXPECT_EQ(leastOf("manylinux_2_27_x86_64.manylinux_2_28_x86_64"), (Version{2, 27}));
  EXPECT_EQ(leastOf("manylinux_2_17_x86_64.manylinux2014_x86_64"), (Version{2, 17}));
  EXPECT_EQ(leastOf("manylinux1_i686"), (Version{2, 5}));
  EXPECT_EQ(leastOf("macosx_11_0_arm64"), (Version{11, 0}));
  EXPECT_EQ(leastOf("win_amd64"), std::nullopt);
  EXPECT_EQ(leastOf("linux_x86_64"), std::nullopt);
  EXPECT_LT((Version{2, 9}), (Version{2, 28}));
}

} // namespace
} // namespace tcfix::support
