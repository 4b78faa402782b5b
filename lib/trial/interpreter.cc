#include "trial/interpreter.h"

#include "formats/formats.h"
#include "io/host.h"
#include "io/system.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::trial {

namespace {

// As root, start only files of root: anyone else who can write them could run code as root.
llvm::Error checkOwner(const env::Target& target, const env::Package& package,
                       const std::string& python) {
  for (const std::string& path :
       {python, llvm::sys::path::parent_path(python).str(), target.environment.whole, package.site})
    if (std::optional<unsigned> owner = io::system::otherOwner(path))
      return fail(ErrorCode::Usage,
                  "--run as root would start a Python that another user controls: " + path +
                      " belongs to user " + std::to_string(*owner),
                  "run tcfix as that user, for example with sudo -u '#" + std::to_string(*owner) +
                      "'");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Interpreter> findInterpreter(const env::Target& target, const env::Package& package,
                                            const survey::SurveyOptions& options) {
  if (!options.sysroot.empty())
    return fail(ErrorCode::Usage, "--run cannot start a Python below --sysroot",
                "leave out --run, or run tcfix on that system");
  if (!formats::isForThisMachine(formatOf(target.platform), target.arch))
    return fail(ErrorCode::Usage,
                "--run cannot start this Python: the libraries are for " +
                    nameOf(target.platform).str() + (target.arch.empty() ? "" : " " + target.arch) +
                    ", but this machine is " +
                    nameOf(platformOf(formats::thisMachinesFormat())).str() + " " +
                    io::system::thisArchitecture().str(),
                "leave out --run, or run tcfix on that system");
  Interpreter found;
  found.path = survey::pythonOf(target, package);
  if (found.path.empty() || !io::isExecutable(found.path))
    return fail(ErrorCode::Usage,
                found.path.empty() ? "--run: no Python found"
                                   : "--run cannot start " + found.path + ": it is not executable",
                "pass an environment with its own Python: a virtual or conda environment, or the "
                "directory of python.exe");
  if (llvm::Error error = checkOwner(target, package, found.path))
    return error;
  found.hasUserSite = llvm::any_of(target.environment.sites, [](const env::Site& site) {
    return site.kind == env::SiteKind::User;
  });
  return found;
}

} // namespace tcfix::trial
