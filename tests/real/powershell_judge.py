"""PowerShell's grammar (tree-sitter's) as judge, for machines without a PowerShell."""
import unittest


def parse(text):
    try:
        import tree_sitter
        import tree_sitter_powershell
    except ImportError:
        raise unittest.SkipTest("tree-sitter-powershell is not installed")
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
    return parser.parse(text.encode()).root_node


def nodes(root, *types):
    """All nodes of these types below root, in the order of the text."""
    if root.type in types:
        yield root
    for child in root.children:
        yield from nodes(child, *types)


def text_of(node):
    return node.text.decode()
