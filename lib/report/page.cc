#include "report/page.h"

#include "io/digest.h"
#include "page_template.h"
#include "report/markup.h"
#include "report/overview.h"
#include "report/svg.h"
#include "report/tree.h"
#include "report/trial.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Base64.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

namespace tcfix::report {

using doctor::Diagnosis;
using doctor::Evidence;
using doctor::Finding;
using doctor::GroupReport;
using doctor::LibraryReport;
using doctor::Severity;
using llvm::formatv;
using resolve::Attempt;
using resolve::Binding;
using resolve::Verdict;

namespace {

constexpr llvm::StringLiteral kPage(templates::report_page_html);
constexpr llvm::StringLiteral kPackagePart(templates::report_page_package_html);
constexpr llvm::StringLiteral kAllPart(templates::report_page_all_html);

/// A status: a class for the colour, a symbol and a word.
struct Standing {
  const char* style;
  const char* sign;
  const char* word;
};

Standing standingOf(Verdict verdict, bool isNeeded = true) {
  switch (verdict) {
  case Verdict::Loads:
    return {isNeeded ? "good" : "idle", "✓", "loads"};
  case Verdict::Fails:
    return {isNeeded ? "bad" : "idle", isNeeded ? "✕" : "–", "does not load"};
  case Verdict::Unknown:
    break;
  }
  return {"idle", "?", "unknown"};
}

Standing standingOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return {"bad", "✕", "error"};
  case Severity::Warning:
    return {"warn", "!", "warning"};
  case Severity::Info:
    break;
  }
  return {"idle", "i", "note"};
}

std::string badge(const Standing& standing) {
  return formatv("<span class=\"badge {0}\"><span class=\"sign\" aria-hidden=\"true\">{1}</span> "
                 "{2}</span>",
                 standing.style, standing.sign, standing.word);
}

std::string code(llvm::StringRef text) {
  return "<code>" + escaped(text) + "</code>";
}

std::string command(llvm::StringRef text) {
  return "<div class=\"command\">" + code(text) +
         "<button type=\"button\" hidden>Copy</button></div>\n";
}

std::string headingOf(const GroupReport& group) {
  return group.isOnDemand ? "Loaded on demand"
         : group.major    ? "FFmpeg " + std::to_string(group.major)
                          : "Libraries";
}

std::string row(llvm::StringRef heading, const Standing& standing, llvm::StringRef rest,
                bool isNeeded) {
  return formatv("<tr{0}><th scope=\"row\">{1}</th><td>{2}</td><td>{3}</td></tr>\n",
                 isNeeded ? "" : " class=\"idle\"", heading, badge(standing), rest);
}

std::string majors(const Diagnosis& diagnosis, const std::vector<bool>& needed) {
  std::string out;
  const std::vector<const GroupReport*> groups = diagnosis.groups();
  for (size_t i = 0; i < groups.size(); ++i) {
    const GroupReport& group = *groups[i];
    const resolve::LoadProblem* cause = group.firstCause();
    std::string why = cause ? escaped(cause->message)
                      : group.ffmpegFolder.empty()
                          ? ""
                          : "from " + code(diagnosis.shown(group.ffmpegFolder));
    if (!needed[i])
      why += " <span class=\"aside\">(not needed)</span>";
    else if (group.loads == Verdict::Loads && group.loadsBare == Verdict::Fails)
      why += " <span class=\"aside\">(only after <code>import torch</code>)</span>";
    out += row(headingOf(group), standingOf(group.loads, needed[i]), why, needed[i]);
  }
  if (const std::optional<trial::Trial> trial = diagnosis.trial())
    out += row("python", standingOf(trial->isOk ? Verdict::Loads : Verdict::Fails),
               escaped(trialText(*trial, diagnosis.required)), true);
  return out;
}

std::string evidence(const Evidence& fact, const Diagnosis& diagnosis) {
  std::string values;
  for (const std::string& each : fact.values())
    values += "<dd>" + code(diagnosis.shown(each)) + "</dd>";
  return values.empty() ? "" : "<dt>" + escaped(fact.name) + "</dt>" + values;
}

std::string messageOf(const Finding& finding, const Diagnosis& diagnosis) {
  std::string out = "<p>" + escaped(finding.message) + "</p>\n";
  std::string facts;
  if (!finding.path.empty())
    facts = "<dt>file</dt><dd>" + code(diagnosis.shown(finding.path)) + "</dd>";
  for (const Evidence& fact : finding.evidence)
    facts += evidence(fact, diagnosis);
  if (!facts.empty())
    out += "<details><summary>Evidence</summary><dl>" + facts + "</dl></details>\n";
  return out;
}

/// Findings of one kind with the same command, such as one per major: prints the command once, and
/// folds all but the first few.
std::string article(llvm::ArrayRef<const Finding*> alike, const Diagnosis& diagnosis) {
  constexpr size_t kShown = 2;
  const Finding& first = *alike.front();
  Standing standing = standingOf(first.severity);
  std::string out =
      formatv("<article class=\"finding\"><h3>{0} {1}</h3>\n", badge(standing), code(first.code));
  for (size_t i = 0; i < alike.size(); ++i) {
    if (i == kShown)
      out += formatv("<details><summary>{0} more of this kind</summary>\n", alike.size() - i);
    out += messageOf(*alike[i], diagnosis);
  }
  if (alike.size() > kShown)
    out += "</details>\n";
  if (!first.action.empty())
    out += command(first.action);
  return out + "</article>\n";
}

std::string findings(const Diagnosis& diagnosis) {
  std::vector<std::vector<const Finding*>> kinds;
  for (const Finding* finding : diagnosis.findings()) {
    auto isLike = [&](llvm::ArrayRef<const Finding*> kind) {
      return std::tie(kind[0]->code, kind[0]->severity, kind[0]->action) ==
             std::tie(finding->code, finding->severity, finding->action);
    };
    auto kind = llvm::find_if(kinds, isLike);
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), std::vector<const Finding*>());
    kind->push_back(finding);
  }
  std::string out;
  for (const std::vector<const Finding*>& kind : kinds)
    out += article(kind, diagnosis);
  return out.empty() ? out : "<section>\n<h2>Findings</h2>\n" + out + "</section>\n";
}

std::string tried(llvm::ArrayRef<Attempt> attempts) {
  if (attempts.empty())
    return {};
  std::string out = "<ol class=\"tried\">";
  for (const Attempt& attempt : attempts)
    out += "<li>" + code(attempt.place) + " " + escaped(attempt.outcome) + "</li>";
  return out + "</ol>";
}

/// A dependency of one library; nothing for a library of the system.
std::string traceLine(const Binding& binding, const Diagnosis& diagnosis, bool isNeeded) {
  std::string how = binding.how.text();
  std::string what;
  switch (binding.state) {
  case Binding::State::System:
  case Binding::State::Assumed:
    return {};
  case Binding::State::Found:
    what = "→ " + code(briefPath(diagnosis, binding.provider));
    break;
  case Binding::State::Optional:
    what = badge({"idle", "–", "missing, not needed"});
    break;
  case Binding::State::Missing:
    what = badge({isNeeded ? "bad" : "idle", "✕", "missing"});
    if (binding.tried.empty())
      how = "no search path is set";
    break;
  case Binding::State::Unknown:
    what = badge({"idle", "?", "not on this machine"});
    break;
  }
  // For a dependency that was found, one place is enough; otherwise show all places.
  bool isFound = binding.state == Binding::State::Found;
  return formatv("<li>{0} {1} <small>{2}</small>{3}</li>\n", code(binding.dependency), what,
                 escaped(how), isFound ? "" : tried(binding.tried));
}

/// The dependencies of one library in load order; those of the system on one line.
std::string traceOf(llvm::ArrayRef<const Binding*> bindings, const Diagnosis& diagnosis,
                    bool isNeeded) {
  std::string out = "<ul class=\"trace\">\n";
  std::vector<std::string> system;
  for (const Binding* binding : bindings)
    if (std::string line = traceLine(*binding, diagnosis, isNeeded); !line.empty())
      out += line;
    else
      system.push_back(escaped(leafOf(binding->dependency)));
  if (!system.empty())
    out += "<li class=\"idle\">from the system: " + llvm::join(system, ", ") + "</li>\n";
  return out + "</ul>\n";
}

std::string trace(const LibraryReport& library, const std::string& id, const Diagnosis& diagnosis,
                  bool isNeeded) {
  std::string out = formatv(
      "<details id=\"{0}\"><summary>{1} {2}</summary>\n<p class=\"path\">{3}</p>\n", id,
      code(llvm::sys::path::filename(library.path)),
      badge(standingOf(library.loads.verdict, isNeeded)), code(diagnosis.shown(library.path)));
  for (const resolve::LoadProblem& problem : llvm::ArrayRef(library.loads.problems).take_front(1))
    out += "<p>" + escaped(problem.message) + "</p>\n";
  // Bindings are in load order, not in the order of the libraries that have the dependencies.
  std::vector<std::string> users;
  std::map<std::string, std::vector<const Binding*>> byUser;
  for (const Binding& binding : library.loads.bindings) {
    std::vector<const Binding*>& list = byUser[binding.library];
    if (list.empty())
      users.push_back(binding.library);
    list.push_back(&binding);
  }
  std::string deeper;
  for (const std::string& user : users)
    if (user == library.path)
      out += traceOf(byUser[user], diagnosis, isNeeded);
    else
      deeper += "<h4>" + code(briefPath(diagnosis, user)) + "</h4>\n" +
                traceOf(byUser[user], diagnosis, isNeeded);
  if (!deeper.empty())
    out += "<details><summary>Their dependencies</summary>\n" + deeper + "</details>\n";
  return out + "</details>\n";
}

/// The template with its {{names}} replaced. Values are not expanded: a library may be called like
/// one of the names.
std::string filledPage(llvm::StringRef rest, const std::map<llvm::StringRef, std::string>& values) {
  std::string out;
  while (!rest.empty()) {
    auto [text, after] = rest.split("{{");
    auto [name, next] = after.split("}}");
    out += text;
    if (auto value = values.find(name); value != values.end())
      out += value->second;
    rest = next;
  }
  return out;
}

/// Lets a browser run this script and no other.
std::string hashOfScript(llvm::StringRef page) {
  llvm::StringRef script = page.split("<script>").second.split("</script>").first;
  io::Digest digest = io::digestOf(io::DigestKind::Sha256, llvm::arrayRefFromStringRef(script));
  return llvm::encodeBase64(llvm::ArrayRef(digest).take_front(io::sizeOf(io::DigestKind::Sha256)));
}

/// The sections about the packages of one diagnosis, from the groups to the search traces.
struct Content {
  std::string majors, findings, graph, traces;
};

/// `lastId` numbers the link targets of the whole page.
Content contentOf(const Diagnosis& diagnosis, size_t& lastId) {
  std::vector<bool> needed = neededGroups(diagnosis);
  std::map<std::string, std::string> anchors;
  Content content;
  const std::vector<const GroupReport*> groups = diagnosis.groups();
  for (size_t i = 0; i < groups.size(); ++i) {
    content.traces += "<h3>" + headingOf(*groups[i]) + "</h3>\n";
    for (const LibraryReport& library : groups[i]->libraries) {
      std::string id = "library-" + std::to_string(lastId++);
      anchors[library.path] = id;
      content.traces += trace(library, id, diagnosis, needed[i]);
    }
  }
  content.majors = majors(diagnosis, needed);
  content.findings = findings(diagnosis);
  content.graph =
      renderSvg(graphOf(diagnosis), [&](const std::string& path) { return anchors[path]; });
  return content;
}

/// One package of --all: a row that contains the rest, folded.
std::string packageRow(const Diagnosis& all, const doctor::PackageDiagnosis& package,
                       size_t& lastId) {
  Diagnosis one;
  one.target = all.target;
  one.disk = all.disk;
  one.isKnown = all.isKnown;
  one.packages = {package};
  const Standing standing = package.verdict == Verdict::Loads && package.warnings()
                                ? Standing{"warn", "!", "loads, with warnings"}
                                : standingOf(package.verdict);
  const int rank = package.verdict == Verdict::Fails     ? 0
                   : package.verdict == Verdict::Unknown ? 1
                   : package.warnings()                  ? 2
                                                         : 3;
  const Content content = contentOf(one, lastId);
  std::string more = content.findings;
  if (!package.groups.empty())
    more += "<details><summary>Dependencies</summary><div class=\"scroll\">" + content.graph +
            "</div></details>\n<details><summary>Search traces</summary>" + content.traces +
            "</details>\n";
  return formatv("<tr><th scope=\"row\">{0}</th><td data-key=\"{1}\">{2}</td><td>{3}</td>"
                 "<td>{4}{5}<details><summary>{6}</summary>{7}</details></td></tr>\n",
                 escaped(package.package), rank, badge(standing), package.census.total(),
                 escaped(package.cause), package.action.empty() ? "" : command(package.action),
                 escaped(censusText(package.census)), more);
}

std::string contentOfAll(const Diagnosis& diagnosis) {
  std::string rows;
  size_t lastId = 0;
  for (const doctor::PackageDiagnosis& package : diagnosis.packages)
    rows += packageRow(diagnosis, package, lastId);
  return filledPage(kAllPart, {{"packages", rows}});
}

std::string contentOfOne(const Diagnosis& diagnosis) {
  size_t lastId = 0;
  Content content = contentOf(diagnosis, lastId);
  return filledPage(kPackagePart, {{"majors", content.majors},
                                   {"findings", content.findings},
                                   {"graph", content.graph},
                                   {"traces", content.traces}});
}

} // namespace

std::string renderPage(const Diagnosis& diagnosis, llvm::StringRef program) {
  Standing standing = !diagnosis.isOk()   ? Standing{"bad", "✕", "Broken"}
                      : diagnosis.isKnown ? Standing{"good", "✓", "OK"}
                                          : Standing{"idle", "?", "No problem found"};
  const bool isOfAll = diagnosis.isOfAll;
  const std::vector<const Finding*> findings = diagnosis.findings();
  std::string next;
  if (!isOfAll && !diagnosis.isOk() && !findings.empty() &&
      findings.front()->severity == doctor::Severity::Error)
    next = "<p>Cause: " + escaped(findings.front()->message) + "</p>\n";
  if (!diagnosis.action.empty())
    next += "<h2>What to do next</h2>\n" + command(diagnosis.action);
  std::map<llvm::StringRef, std::string> values = {
      {"package", isOfAll ? "All packages" : escaped(diagnosis.decisive().package)},
      {"target", escaped(diagnosis.target)},
      {"style", standing.style},
      {"sign", standing.sign},
      {"verdict", standing.word},
      {"summary", escaped(isOfAll ? summaryOfAll(diagnosis) : diagnosis.decisive().summary)},
      {"next", next},
      {"content", isOfAll ? contentOfAll(diagnosis) : contentOfOne(diagnosis)},
      {"program", escaped(program)},
      {"script-hash", hashOfScript(kPage)},
  };
  return filledPage(kPage, values);
}

} // namespace tcfix::report
