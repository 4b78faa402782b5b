"""The state of an installed torchcodec: its bytes, its stamps, and whether RECORD matches."""
import base64
import csv
import hashlib
import os


def content(folder):
    """The contents of a package: its files' bytes, modes and links."""
    return {str(path.relative_to(folder)):
            os.readlink(path) if path.is_symlink() else (path.stat().st_mode, path.read_bytes())
            for part in ("torchcodec", "torchcodec-*.dist-info")
            for place in folder.glob(part)
            for path in place.rglob("*") if path.is_symlink() or path.is_file()}


def stamp(path):
    """What changes if anything is written there: inode, times, size."""
    status = path.lstat()
    # A file that is shared with the cache also gets a new ctime when another test links to it.
    is_shared = status.st_nlink > 1 and not path.is_dir()
    return (status.st_ino, status.st_mtime_ns, None if is_shared else status.st_ctime_ns,
            status.st_size)


def stamps(folder):
    """The stamps of every file and directory."""
    return {str(path.relative_to(folder)): stamp(path) for path in [folder, *folder.rglob("*")]}


def record_problems(site, name="torchcodec"):
    """Compares every row of RECORD with its file, and finds files without a row."""
    info = next(site.glob(f"{name}-*.dist-info"))
    problems, listed = [], set()
    with open(info / "RECORD", newline="") as file:
        for path, digest, size in csv.reader(file):
            listed.add(path)
            data = (site / path).read_bytes()
            if not digest:
                continue
            kind, _, text = digest.partition("=")
            real = base64.urlsafe_b64encode(hashlib.new(kind, data).digest()).rstrip(b"=").decode()
            if (text, int(size)) != (real, len(data)):
                problems.append(path)
    present = {str(path.relative_to(site)) for place in (info, site / name)
               for path in place.rglob("*") if not path.is_dir()}
    return problems + sorted(present - listed)
