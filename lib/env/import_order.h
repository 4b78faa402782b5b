// What Python has loaded when an import reaches an extension module: first it executes the packages
// that contain the module, and their code may import other extension modules, whose libraries then
// are in the process.
#pragma once

#include "env/python_source.h"
#include "io/target_disk.h"

#include <llvm/ADT/ArrayRef.h>

#include <map>
#include <mutex>

namespace tcfix::env {

struct ImportOrder {
  std::vector<std::string> modules; ///< host paths of other extension modules, in order
  std::string loadingCode; ///< code of the same package, executed before, that loads libraries
};

/// Whether the part of a file's name between the module's name and ".so" names interpreters:
/// "cpython-312-darwin", "abi3".
bool isModuleTag(llvm::StringRef tag);

/// The name by which Python imports a module's file, such as "scipy.linalg._fblas"; empty if it is
/// in none of the sites, or in a directory whose name cannot be part of one.
std::string moduleIn(const std::string& file, llvm::ArrayRef<std::string> sites);

/// Reads the sources of an environment. Thread-safe.
class ImportReader {
public:
  /// `sites` are host paths in the order of sys.path. `disk` must outlive this object.
  ImportReader(std::vector<std::string> sites, Platform platform, const io::TargetDisk& disk)
      : sites(std::move(sites)), platform(platform), disk(disk) {}

  /// What happens before the file of an extension module is loaded; nothing if it is in no site.
  std::optional<ImportOrder> before(const std::string& module);

private:
  class Import;
  const PythonSource& source(const std::string& file);
  const std::vector<std::string>& names(const std::string& folder);

  const std::vector<std::string> sites;
  const Platform platform;
  const io::TargetDisk& disk;
  std::mutex mutex;
  std::map<std::string, PythonSource> sources;              ///< by host path
  std::map<std::string, std::vector<std::string>> listings; ///< of directories
};

} // namespace tcfix::env
