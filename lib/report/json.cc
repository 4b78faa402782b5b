#include "report/json.h"

#include "image/names.h"
#include "report/json_parts.h"
#include "report/trial.h"

namespace tcfix::report {

namespace {

void writeSlice(OStream& out, const Slice& slice, Format format, bool withSymbols) {
  text(out, "arch", slice.arch);
  text(out, "type", slice.fileType);
  textOrNull(out, "id", slice.identity);
  out.attributeArray("dependencies", [&] {
    for (const Dependency& dependency : slice.dependencies)
      out.object([&] {
        text(out, "name", dependency.name);
        text(out, "kind", nameOf(dependency.kind));
      });
  });
  texts(out, "rpaths", slice.searchPaths);
  if (format == Format::Elf)
    textOrNull(out, "runpath_kind",
               slice.searchPathKind ? std::optional(nameOf(*slice.searchPathKind).str())
                                    : std::nullopt);
  textIfKnown(out, "min_os", slice.minOs);
  if (slice.signature)
    out.attributeObject("signature", [&] {
      text(out, "state", nameOf(slice.signature->state));
      textOrNull(out, "kind",
                 slice.signature->kind ? std::optional(nameOf(*slice.signature->kind).str())
                                       : std::nullopt);
      textIfKnown(out, "identifier", slice.signature->identifier);
    });
  out.attributeObject("details", [&] {
    for (const auto& [name, value] : slice.details)
      text(out, name, value);
  });
  if (!withSymbols)
    return;
  out.attributeArray("imports", [&] {
    for (const ImportedSymbol& symbol : slice.imports)
      out.object([&] {
        text(out, "name", symbol.name);
        textIfKnown(out, "from", symbol.from);
      });
  });
  texts(out, "exports", slice.exports);
}

void writeMissing(OStream& out, llvm::ArrayRef<resolve::MissingSymbols> missing) {
  out.attributeArray("missing_symbols", [&] {
    for (const resolve::MissingSymbols& each : missing)
      out.object([&] {
        text(out, "dependency", each.dependency);
        text(out, "library", each.provider);
        texts(out, "symbols", each.symbols);
      });
  });
}

void writeFiles(OStream& out, llvm::ArrayRef<apply::FileOutcome> files) {
  out.attributeArray("files", [&] {
    for (const apply::FileOutcome& file : files)
      out.object([&] {
        text(out, "path", file.path);
        text(out, "status", nameOf(file.status));
        out.attributeArray("edits", [&] {
          for (const Change& change : file.edit.changes)
            out.object([&] {
              text(out, "op", nameOf(change.operation));
              text(out, "value", change.value);
              if (!change.old.empty())
                text(out, "old", change.old);
              text(out, "reason", reasonOf(change));
              if (!change.arch.empty())
                text(out, "arch", change.arch);
            });
        });
        textIfKnown(out, "sha256_before", file.sha256Before);
        textIfKnown(out, "sha256_after", file.sha256After);
      });
  });
}

void writeLoads(OStream& out, llvm::StringRef name, const apply::Loads& loads) {
  out.attributeObject(name, [&] {
    out.attribute("before", verdictValue(loads.before));
    out.attribute("after", verdictValue(loads.after));
  });
}

} // namespace

std::string jsonForError(const Preamble& preamble) {
  return document(preamble, [](OStream&) {});
}

std::string jsonForInspect(const Preamble& preamble, llvm::ArrayRef<InspectedFile> files,
                           bool withSymbols) {
  return document(preamble, [&](OStream& out) {
    out.attributeArray("files", [&] {
      for (const InspectedFile& file : files) {
        if (!file.image)
          continue; // listed in `errors`
        out.object([&] {
          text(out, "path", file.path);
          text(out, "format", formatName(file.image->format));
          if (!file.image->isUniversal) {
            writeSlice(out, file.image->slices.front(), file.image->format, withSymbols);
            if (withSymbols)
              writeMissing(out, file.missing);
            if (file.tree)
              writeTree(out, *file.tree);
            return;
          }
          if (file.tree)
            writeTree(out, *file.tree);
          out.attributeArray("slices", [&] {
            for (const Slice& slice : file.image->slices)
              out.object([&] { writeSlice(out, slice, file.image->format, withSymbols); });
          });
        });
      }
    });
  });
}

std::string jsonForEdit(const Preamble& preamble, const apply::EditRun& run) {
  return document(preamble, [&](OStream& out) { writeFiles(out, run.files); });
}

std::string jsonForApply(const Preamble& preamble, llvm::ArrayRef<apply::TargetOutcome> targets) {
  return document(preamble, [&](OStream& out) {
    out.attributeArray("targets", [&] {
      for (const apply::TargetOutcome& target : targets)
        out.object([&] {
          text(out, "path", target.path);
          writeFiles(out, target.files);
          apply::FileCounts counts = apply::countFiles(target.files);
          out.attributeObject("summary", [&] {
            out.attribute("changed", static_cast<int64_t>(counts.changed));
            out.attribute("unchanged", static_cast<int64_t>(counts.unchanged));
            out.attribute("skipped", static_cast<int64_t>(counts.skipped));
            out.attribute("failed", static_cast<int64_t>(counts.failed));
          });
          writeLoads(out, "loads", target.loads);
          writeLoads(out, "loads_bare", target.loadsBare);
          writeTorch(out, target.torch);
          writeTrial(out, target.trial);
          if (!target.ffmpeg) {
            out.attribute("ffmpeg", nullptr);
            return;
          }
          out.attributeObject("ffmpeg", [&] {
            out.attribute("major", target.ffmpeg->major);
            text(out, "path", target.ffmpeg->path);
            text(out, "source",
                 target.ffmpeg->source ? nameOf(*target.ffmpeg->source) : "found by itself");
          });
        });
    });
  });
}

std::string jsonForWheel(const Preamble& preamble, llvm::ArrayRef<wheel::WheelOutcome> wheels) {
  return document(preamble, [&](OStream& out) {
    out.attributeArray("wheels", [&] {
      for (const wheel::WheelOutcome& wheel : wheels)
        out.object([&] {
          text(out, "input", wheel.input);
          textIfKnown(out, "output", wheel.output);
          text(out, "status", nameOf(wheel.status()));
          writeFiles(out, wheel.files);
        });
    });
  });
}

std::string jsonForVerify(const Preamble& preamble, llvm::ArrayRef<VerifiedFile> files) {
  return document(preamble, [&](OStream& out) {
    out.attributeArray("files", [&] {
      for (const VerifiedFile& file : files)
        out.object([&] {
          text(out, "path", file.path);
          out.attribute("valid", file.verdict.isValid && !file.problem);
          std::vector<std::string> found = file.verdict.problems;
          if (file.problem)
            found.push_back(file.problem->message);
          texts(out, "problems", found);
        });
    });
  });
}

std::string jsonForUndo(const Preamble& preamble, llvm::ArrayRef<UndoneTarget> targets) {
  return document(preamble, [&](OStream& out) {
    out.attributeArray("targets", [&] {
      for (const auto& [path, run] : targets)
        out.object([&, &path = path, &run = run] {
          text(out, "path", path);
          texts(out, "restored", run.restored);
          texts(out, "skipped", run.skipped);
        });
    });
  });
}

} // namespace tcfix::report
