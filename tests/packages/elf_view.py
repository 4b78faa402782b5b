"""Reads what `breakage` changes in an ELF library, with pyelftools."""
import contextlib

from elftools.elf.elffile import ELFFile


@contextlib.contextmanager
def opened(path):
    with open(path, "rb") as file:
        yield ELFFile(file)


def dynamic(path):
    """NEEDED, SONAME, and search path of a library."""
    result = {"needed": [], "soname": None, "rpath": ""}
    with opened(path) as image:
        for tag in image.get_section_by_name(".dynamic").iter_tags():
            if tag.entry.d_tag == "DT_NEEDED":
                result["needed"].append(tag.needed)
            elif tag.entry.d_tag == "DT_SONAME":
                result["soname"] = tag.soname
            elif tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                result["rpath"] = getattr(tag, tag.entry.d_tag[3:].lower())
    return result


def symbols(path, is_defined):
    """Names of the global functions in .dynsym that the library defines, or that it needs."""
    with opened(path) as image:
        return {symbol.name for symbol in image.get_section_by_name(".dynsym").iter_symbols()
                if symbol.name and symbol["st_info"]["bind"] == "STB_GLOBAL"
                and (symbol["st_shndx"] != "SHN_UNDEF") == is_defined}


def names(path):
    """Names of all symbols in .dynsym."""
    with opened(path) as image:
        return {symbol.name for symbol in image.get_section_by_name(".dynsym").iter_symbols() if symbol.name}


def string_table(path):
    """The offset of .dynstr in the file."""
    with opened(path) as image:
        section = image.get_section_by_name(".dynstr")
        return section["sh_offset"], section["sh_size"]
