// Parts that all JSON documents share. Used by the files of this module only.
#pragma once

#include "report/json.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace tcfix::report {

using llvm::json::OStream;

constexpr int64_t kSchema = 1;

// File names and strings in files may contain any bytes; JSON contains UTF-8 only. Checking first
// is much faster than repairing a string that is valid.
inline llvm::json::Value utf8(llvm::StringRef value) {
  return llvm::json::isUTF8(value) ? llvm::json::Value(value)
                                   : llvm::json::Value(llvm::json::fixUTF8(value));
}

inline void text(OStream& out, llvm::StringRef key, llvm::StringRef value) {
  out.attribute(key, utf8(value));
}

inline void textOrNull(OStream& out, llvm::StringRef key, const std::optional<std::string>& value) {
  if (value)
    text(out, key, *value);
  else
    out.attribute(key, nullptr);
}

/// Null for an empty string, which means unknown.
inline void textIfKnown(OStream& out, llvm::StringRef key, const std::string& value) {
  textOrNull(out, key, value.empty() ? std::nullopt : std::optional(value));
}

template <typename Strings>
void texts(OStream& out, llvm::StringRef key, const Strings& values) {
  out.attributeArray(key, [&] {
    for (const auto& value : values)
      out.value(utf8(value));
  });
}

/// Whether it loads; null if unknown.
inline llvm::json::Value verdictValue(resolve::Verdict verdict) {
  if (verdict == resolve::Verdict::Unknown)
    return nullptr;
  return verdict == resolve::Verdict::Loads;
}

inline void problems(OStream& out, llvm::StringRef key, llvm::ArrayRef<Problem> list) {
  out.attributeArray(key, [&] {
    for (const Problem& problem : list)
      out.object([&] {
        text(out, "code", problem.code ? nameOf(*problem.code) : "warning");
        text(out, "message", problem.message);
        text(out, "path", problem.path);
        text(out, "hint", problem.hint);
      });
  });
}

inline void writeTorch(OStream& out, const std::optional<providers::TorchInstall>& torch) {
  if (!torch)
    return out.attribute("torch", nullptr);
  out.attributeObject("torch", [&] {
    textIfKnown(out, "version", torch->version);
    textIfKnown(out, "path", torch->libFolder);
    text(out, "site", torch->site);
  });
}

inline std::string document(const Preamble& preamble, llvm::function_ref<void(OStream&)> body) {
  std::string buffer;
  llvm::raw_string_ostream stream(buffer);
  stream.SetBufferSize(1 << 16); // the stream writes single characters
  OStream out(stream, 2);
  out.object([&] {
    out.attribute("schema", kSchema);
    text(out, "command", preamble.command);
    out.attribute("ok", preamble.isOk);
    problems(out, "errors", preamble.errors);
    problems(out, "warnings", preamble.warnings);
    body(out);
  });
  stream << '\n';
  stream.flush();
  return printableJson(std::move(buffer));
}

inline llvm::StringRef formatName(Format format) {
  return format == Format::MachO ? "macho" : format == Format::Elf ? "elf" : "pe";
}

} // namespace tcfix::report
