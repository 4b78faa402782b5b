// Diagnoses built by hand, as lib/doctor would return them.
#pragma once

#include "doctor/diagnosis.h"

#include "providers/ffmpeg_name.h"

namespace tcfix::test {

using doctor::Diagnosis;
using doctor::GroupReport;
using doctor::LibraryReport;
using resolve::Binding;
using resolve::LoadProblem;
using resolve::Verdict;

inline const std::string kSite = "/v/lib/python3.12/site-packages/";

inline std::string own(const std::string& name) {
  return kSite + "torchcodec/" + name;
}

inline Binding found(const std::string& library, const std::string& provider) {
  return {library,  provider.substr(provider.rfind('/') + 1), Binding::State::Found,
          provider, {resolve::FoundBy::Kind::AlreadyLoaded},  {}};
}

inline Binding lost(const std::string& library, const std::string& dependency,
                    Binding::State state = Binding::State::Missing) {
  return {library, dependency, state, {}, {}, {{"/somewhere/" + dependency, "not there"}}};
}

inline LibraryReport reportOn(const std::string& path, Verdict verdict,
                              std::vector<Binding> bindings) {
  LibraryReport library{path, {verdict, {}, std::move(bindings)}};
  if (verdict == Verdict::Fails)
    library.loads.problems.push_back(
        {LoadProblem::Code::MissingDependency, path, "x", {}, {}, {}, "it needs x"});
  return library;
}

/// core and custom_ops for one FFmpeg, which is in `folder`, or missing if `folder` is empty.
inline GroupReport majorGroup(int major, const std::string& folder = {}) {
  std::string digit = std::to_string(major);
  std::string core = own("libtorchcodec_core" + digit + ".so");
  std::string ops = own("libtorchcodec_custom_ops" + digit + ".so");
  std::string torch = kSite + "torch/lib/libtorch.so";
  Verdict verdict = folder.empty() ? Verdict::Fails : Verdict::Loads;
  GroupReport group{major, verdict, verdict, {}, folder};
  std::vector<Binding> ofCore, ofOps;
  for (const std::string component : {"avcodec", "avutil"}) {
    int libraryMajor = providers::libraryMajorIn(major, component);
    std::string name = "lib" + component + ".so." + std::to_string(libraryMajor);
    for (const std::string& library : {core, ops})
      (library == core ? ofCore : ofOps)
          .push_back(folder.empty() ? lost(library, name) : found(library, folder + "/" + name));
  }
  for (const std::string& library : {core, ops})
    (library == core ? ofCore : ofOps).push_back(found(library, torch));
  ofCore.push_back({core, "libc.so.6", Binding::State::Assumed, {}, {}, {}});
  ofOps.push_back(folder.empty() ? lost(ops, "libtorchcodec_core" + digit + ".so")
                                 : found(ops, core));
  group.libraries = {reportOn(core, verdict, ofCore), reportOn(ops, verdict, ofOps)};
  return group;
}

inline Diagnosis diagnosisOf(std::vector<GroupReport> groups, bool isOk) {
  Diagnosis diagnosis;
  diagnosis.target = "v";
  diagnosis.packages.push_back(
      {"torchcodec 0.9.1", isOk, "what there is to say", {}, std::move(groups), {}});
  return diagnosis;
}

} // namespace tcfix::test
