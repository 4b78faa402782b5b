"""No command in the sources or the documents installs FFmpeg, PyAV, torch or torchcodec without a
version; the sources build such commands in one place only."""
import re
import unittest
from pathlib import Path

from bounds import unbounded

ROOT = Path(__file__).parents[2]
INSTALLS = re.compile(r"\b(?:pip|conda|brew|winget|apt) install\b|\bpixi add\b")
# Commands in sources outside lib/advice: none of them installs one of these packages.
ELSEWHERE = {
    ("lib/doctor/torch_words.cc", "winget install Microsoft.VCRedist.2015+.x64"),  # the C++ runtime
    ("lib/doctor/library_words.cc", "winget install Microsoft.VCRedist.2015+.x64"),
    ("lib/doctor/library_words.cc", 'conda install -c conda-forge \\"libstdcxx-ng>=13\\"'),
    ("lib/doctor/package_words.cc", 'pip install \\"numpy<2\\"'),
    ("lib/doctor/package_words.cc", "pip install --upgrade numpy"),
}


def strings(path):
    """The string literals of a C++ source, adjacent ones joined; comments are left out."""
    text = re.sub(r"^\s*//.*$|\s//[^\"]*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r'(?<!\\)"\s*\n\s*"', "", text)
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)


class Bounds(unittest.TestCase):
    def test_unbounded_commands_are_found(self):
        for text in ("pip install torchcodec", "uv pip install av torch==2.9.1", "`brew install ffmpeg libheif`",
                     "conda install -c conda-forge ffmpeg", "pip install --force-reinstall --no-deps torch",
                     "pip install -U torchcodec --index-url https://x/cpu", "winget install Gyan.FFmpeg.Shared"):
            with self.subTest(text):
                self.assertTrue(unbounded(text))
        for text in ('pip install "av<19" && tcfix apply', "brew install ffmpeg@7", "pip install numpy",
                     'pip install "torchcodec==0.9.*" --index-url https://x/cpu', "pip install torchvision torch==2.9.1",
                     "winget install Gyan.FFmpeg.Shared --version 7.1.1", 'conda install "ffmpeg>=7,<8"'):
            with self.subTest(text):
                self.assertEqual(unbounded(text), [])

    def test_documents(self):
        documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*"), *ROOT.glob("tools/*/*.cc"),
                     *ROOT.glob("python/**/*.py")]
        self.assertGreater(len(documents), 20)
        for path in documents:
            if path.is_file():
                with self.subTest(str(path.relative_to(ROOT))):
                    self.assertEqual(unbounded(path.read_text(encoding="utf-8")), [])

    def test_sources_build_them_in_one_place(self):
        sources = [*ROOT.glob("lib/*/*.cc"), *ROOT.glob("lib/*/*.h")]
        self.assertGreater(len(sources), 100)
        for path in sources:
            name = str(path.relative_to(ROOT))
            if path.parent.name == "advice":
                continue
            for text in strings(path):
                if INSTALLS.search(text):
                    with self.subTest(name):
                        self.assertIn((name, text), ELSEWHERE)


if __name__ == "__main__":
    unittest.main()
