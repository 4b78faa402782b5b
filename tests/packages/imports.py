"""Imports modules with the environment's own Python and the real loader."""
import json
import os
import pathlib
import re
import subprocess

DRIVER = pathlib.Path(__file__).resolve().parent / "import_driver.py"
# Threads of BLAS and OpenMP would only take time. There is no CUDA driver.
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
         "QT_QPA_PLATFORM": "offscreen", "TF_CPP_MIN_LOG_LEVEL": "3"}
# Modules that need a library which no search path finds, and the module that loads it before importing them.
VIA = {"torchaudio.lib.pybind11_prefixctc": "torchaudio.models.decoder._cuda_ctc_decoder"}


def clean_environment():
    return {**{name: value for name, value in os.environ.items()
               if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME")}, **QUIET}


def import_modules(environment, modules, seconds=300, jobs=None):
    """The outcome of `import NAME` for each (name, path or None), each in its own process."""
    request = {"modules": [[name, path and str(path), VIA.get(name)] for name, path in modules], "seconds": seconds,
               "jobs": jobs or os.cpu_count()}
    result = subprocess.run([pathlib.Path(environment).absolute() / "bin" / "python", "-I", "-B", DRIVER], check=True,
                            input=json.dumps(request), stdout=subprocess.PIPE, text=True, env=clean_environment(),
                            cwd="/")
    return json.loads(result.stdout)


def named_by_loader(text):
    """The library or symbol in a message of the loader, without directories and versions."""
    patterns = (r"Could not load this library: (\S+)", r"undefined symbol: ([^\s,]+)",
                r"([^\s:]+): version `[^']+' not found",
                r"([^\s:]+): cannot open shared object file",
                r"([^\s:]+): (?:invalid ELF header|wrong ELF class|file too short|cannot read file data|"
                r"ELF load command|only ET_DYN|ELF file's phentsize|internal error)")
    for pattern in patterns:
        if match := re.search(pattern, text):
            return match.group(1).rpartition("/")[2]
    return None
