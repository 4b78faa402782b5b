"""A stand-in for torch, which is gigabytes large: enough for the real `import torchcodec`.

Like torch, it loads its libraries (here small ones that export the same names) before torchcodec's, and loads
those with ctypes.CDLL. Operators and types are empty shells.
"""
import ctypes
import pathlib
import sys
import types

__version__ = "2.9.1"

for _name in ("libc10.so", "libtorch_cpu.so", "libtorch.so"):
    ctypes.CDLL(str(pathlib.Path(__file__).parent / "lib" / _name))


class Shell(types.ModuleType):
    """Has every attribute; the result of a call can decorate a function."""

    def __getattr__(self, name):
        return Shell(name)

    def __call__(self, *arguments):
        return lambda function: function


class Tensor:
    pass


class nn:
    Module = object


device = dtype = Tensor
ops = Shell("ops")
ops.load_library = ctypes.CDLL
sys.modules["torch.library"] = Shell("torch.library")


def __getattr__(name):
    return Shell(name)
