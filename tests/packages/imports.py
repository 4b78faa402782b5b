"""What the environment's own Python and the real loader say to modules."""
import json
import os
import pathlib
import re
import subprocess

DRIVER = pathlib.Path(__file__).resolve().parent / "import_driver.py"
# Threads of BLAS and OpenMP only cost time here; a driver of CUDA is absent.
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
         "QT_QPA_PLATFORM": "offscreen", "TF_CPP_MIN_LOG_LEVEL": "3"}
# Modules that need a library that nothing leads to, and the module that loads it before it imports them.
VIA = {"torchaudio.lib.pybind11_prefixctc": "torchaudio.models.decoder._cuda_ctc_decoder"}


def clean_environment():
    return {**{name: value for name, value in os.environ.items()
               if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME")}, **QUIET}


def import_modules(environment, modules, seconds=300, jobs=None):
    """The outcome of `import NAME` for each (name, path or None), each in a process of its own."""
    request = {"modules": [[name, path and str(path), VIA.get(name)] for name, path in modules], "seconds": seconds,
               "jobs": jobs or os.cpu_count()}
    result = subprocess.run([pathlib.Path(environment).absolute() / "bin" / "python", "-I", "-B", DRIVER], check=True,
                            input=json.dumps(request), stdout=subprocess.PIPE, text=True, env=clean_environment(),
                            cwd="/")
    return json.loads(result.stdout)


def named_by_loader(text):
    """The library or symbol that a message of the loader is about, without directories and versions."""
    patterns = (r"Could not load this library: (\S+)", r"undefined symbol: ([^\s,]+)",
                r"([^\s:]+): version `[^']+' not found",
                r"([^\s:]+): cannot open shared object file",
                r"([^\s:]+): (?:invalid ELF header|wrong ELF class|file too short|cannot read file data|"
                r"ELF load command|only ET_DYN|ELF file's phentsize|internal error)")
    for pattern in patterns:
        if match := re.search(pattern, text):
            return match.group(1).rpartition("/")[2]
    return None
