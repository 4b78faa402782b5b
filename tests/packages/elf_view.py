"""A small view of an ELF library by pyelftools, for what is broken on purpose."""
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
    """Names of global functions in .dynsym that are defined here, or that are needed."""
    with opened(path) as image:
        return {symbol.name for symbol in image.get_section_by_name(".dynsym").iter_symbols()
                if symbol.name and symbol["st_info"]["bind"] == "STB_GLOBAL"
                and (symbol["st_shndx"] != "SHN_UNDEF") == is_defined}


def string_table(path):
    """Where .dynstr lies in the file."""
    with opened(path) as image:
        section = image.get_section_by_name(".dynstr")
        return section["sh_offset"], section["sh_size"]
