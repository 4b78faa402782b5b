"""Checks PowerShell code by its grammar (tree-sitter's), for machines without PowerShell."""
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
    """All nodes of these types below root, in source order."""
    if root.type in types:
        yield root
    for child in root.children:
        yield from nodes(child, *types)


def text_of(node):
    return node.text.decode()
