// Adds a search path to a library, and prints what it contains and whether it would load.
//   example LIBRARY SEARCH_PATH
#include <tcfix/tcfix.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example LIBRARY SEARCH_PATH\n";
    return 2;
  }
  const std::string library = argv[1];
  auto edited = tcfix::api::edit(library, {tcfix::AddSearchPath{argv[2]}});
  if (!edited) {
    std::cerr << edited.error().path << ": " << edited.error().message << '\n';
    return 1;
  }
  std::cout << (edited->changes.empty() ? "unchanged" : "changed") << '\n';

  if (auto image = tcfix::api::inspect(library))
    for (const tcfix::Slice& slice : image->slices) {
      for (const std::string& path : slice.searchPaths)
        std::cout << slice.arch << " searches " << path << '\n';
      for (const tcfix::Dependency& dependency : slice.dependencies)
        std::cout << slice.arch << " requires " << dependency.name << '\n';
    }

  if (auto simulation = tcfix::api::simulate(library))
    for (const std::string& problem : simulation->problems)
      std::cout << "does not load: " << problem << '\n';
}
