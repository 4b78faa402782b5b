// The graph as a drawing inside a page: its colours and fonts are the page's (page.html).
#pragma once

#include "report/graph.h"

namespace tcfix::report {

/// `anchorOf` returns the id of the page's section about a library of the package, by its host
/// path.
std::string renderSvg(const Graph& graph,
                      llvm::function_ref<std::string(const std::string& path)> anchorOf);

} // namespace tcfix::report
