"""`tcfix doctor --html` and `--dot` on a real macOS environment, before and after the repair, checked by a browser
and Graphviz. With TCFIX_SCREENSHOTS=DIR, screenshots are written there."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from browser import CHROMIUM, Browser
from harness import find_tool, run, tcfix, tcfix_json
from macos_world import World

DOT = find_tool("dot")
VIEWS = [(width, scheme) for width in (1280, 375) for scheme in ("light", "dark")]

# Every text with its own colour and its background; transparent backgrounds are skipped, boxes of the drawing
# count as backgrounds.
CONTRASTS = """
(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const box = at.matches('.node') && at.querySelector('rect');
      const color = parse(box ? getComputedStyle(box).fill : getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || element.closest('script, title, desc') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [luminance(color), luminance(behind(element))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.textContent.trim()]);
  }
  return found;
})()
"""


class MacEnvironment(unittest.TestCase):
    """torchcodec 0.9.1, torch 2.9.1 and PyAV 15.1, broken as installed by pip, and then repaired."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        world = World(cls.folder / "root", None)
        world.install("torch-2.9.1", "torchcodec-0.9.1", "av-15.1.0")
        cls.target = ("--sysroot", world.root, world.env)
        cls.broken, cls.repaired = cls.folder / "broken.html", cls.folder / "repaired.html"
        tcfix("doctor", "--html", cls.broken, *cls.target, check=1)
        cls.broken_dot = tcfix("doctor", "--dot", *cls.target, check=1).stdout
        world.apply()
        tcfix("doctor", "--html", cls.repaired, *cls.target)
        cls.repaired_dot = tcfix("doctor", "--dot", *cls.target).stdout


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Page(MacEnvironment):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser(cls.folder / "profile")
        cls.addClassCleanup(cls.browser.close)

    def js(self, expression):
        return self.browser.evaluate(expression)

    def count(self, selector):
        return self.js(f"document.querySelectorAll({selector!r}).length")

    def texts(self, selector):
        return self.js(f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)")

    def test_the_verdict_comes_first_then_the_command_then_the_majors(self):
        self.browser.open(self.broken)
        self.assertEqual(self.texts("h1"), ["✕ Broken"])
        (command,) = self.texts(".verdict .command code")
        self.assertTrue(command.startswith("tcfix apply --sysroot "), command)
        self.assertEqual(self.texts("tbody th"), [f"FFmpeg {n}" for n in (8, 7, 6, 5, 4)])
        self.assertEqual(len(set(self.texts("tbody td:last-child"))), 5)
        self.assertIn("libtorchcodec_core8.dylib needs @rpath/libavutil.60.dylib",
                      self.texts("tbody td:last-child")[0])
        tops = self.js("['h1', '.verdict .command', 'table', '.finding', 'svg', '#traces']"
                       ".map((s) => document.querySelector(s).getBoundingClientRect().top)")
        self.assertEqual(tops, sorted(tops))

    def test_missing_libraries_are_red_and_have_a_symbol(self):
        self.browser.open(self.broken)
        missing = self.texts(".node.missing")
        self.assertEqual(len(missing), 5)
        for text in missing:
            self.assertIn("✕ missing", text)
        self.assertEqual(self.count(".node.fails"), 15)
        self.assertEqual(self.count(".node.idle"), 0)
        self.assertEqual(self.count(".edge.broken"), self.count(".edge.broken .cut"))
        self.assertEqual(self.count(".edge.broken"), 15)  # 10 to a core, 5 to an FFmpeg
        self.assertEqual(self.js("getComputedStyle(document.querySelector('.node.missing rect'))"
                                 ".stroke"), "rgb(179, 32, 26)")

    def test_after_the_repair_unneeded_libraries_are_grey(self):
        self.browser.open(self.repaired)
        self.assertEqual(self.texts("h1"), ["✓ OK"])
        self.assertEqual(self.count(".verdict .command"), 0)
        self.assertEqual(self.count(".node.missing, .node.fails, .edge.broken, .badge.bad") -
                         self.count(".legend .badge.bad"), 0)
        self.assertEqual(self.count(".node.loads"), 3)
        idle = self.texts(".node.idle")
        self.assertEqual(len(idle), 8)  # four majors, and what they lack
        for text in idle:
            self.assertRegex(text, "– .*not needed")
        used = [text for text in self.texts(".node") if text.startswith("FFmpeg 7")]
        self.assertEqual(len(used), 1)
        self.assertIn("av/.dylibs", used[0])

    def test_traces_are_folded_and_list_every_place(self):
        self.browser.open(self.repaired)
        self.assertEqual(self.count("#traces > details"), 15)
        self.assertEqual(self.count("#traces details[open]"), 0)
        trace = self.texts("#traces > details")[0]
        self.assertIn("torch/lib/libavutil.60.dylib not found", trace)
        used = next(text for text in self.texts("#traces > details") if "core7" in text)
        self.assertIn("@rpath/libavutil.59.39.100.dylib → av/.dylibs/libavutil.59.39.100.dylib",
                      used)
        self.assertIn("libx264", used)

    def test_it_fits_every_screen(self):
        screenshots = os.environ.get("TCFIX_SCREENSHOTS")
        for page in (self.broken, self.repaired):
            for width, scheme in VIEWS:
                with self.subTest(page=page.stem, width=width, scheme=scheme):
                    self.browser.open(page, width, scheme=scheme)
                    self.assertEqual(self.js("innerWidth"), width)
                    self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width)
                    sticking = self.js(
                        "[...document.querySelectorAll('main *:not(svg *, svg, .unseen)')]"
                        ".filter((e) => e.getBoundingClientRect().right > innerWidth)"
                        ".map((e) => e.outerHTML)")
                    self.assertEqual(sticking, [])
                    scrolls = self.js("(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)"
                                      "(document.querySelector('.scroll'))")
                    self.assertEqual(scrolls, width == 375)
                    if screenshots:
                        self.browser.screenshot(
                            pathlib.Path(screenshots) / f"{page.stem}-{width}-{scheme}.png")

    def test_text_stays_inside_its_box(self):
        for page in (self.broken, self.repaired):
            self.browser.open(page)
            outside = self.js("""
              [...document.querySelectorAll('.node')].flatMap((node) => {
                const box = node.querySelector('rect').getBBox();
                return [...node.querySelectorAll('text')].map((text) => text.getBBox()).filter((t) =>
                  t.x < box.x || t.y < box.y || t.x + t.width > box.x + box.width ||
                  t.y + t.height > box.y + box.height);
              }).length""")
            self.assertEqual(outside, 0)

    def test_all_text_can_be_read_in_light_and_dark(self):
        backgrounds = set()
        for page in (self.broken, self.repaired):
            for scheme in ("light", "dark"):
                self.browser.open(page, scheme=scheme)
                self.js("for (const box of document.querySelectorAll('details')) box.open = true")
                backgrounds.add(self.js("getComputedStyle(document.body).backgroundColor"))
                contrasts = self.js(CONTRASTS)
                self.assertGreater(len(contrasts), 100)
                self.assertEqual([text for ratio, text in contrasts if ratio < 4.5], [])
        self.assertEqual(len(backgrounds), 2)

    def test_a_button_copies_the_command(self):
        self.browser.open(self.broken)
        self.browser.call("Browser.grantPermissions",
                          permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.browser.call("Page.bringToFront")
        self.js("document.querySelector('.command button').click()")
        copied = self.js("new Promise((done) => setTimeout(done, 200))"
                         ".then(() => navigator.clipboard.readText())")
        self.assertEqual(copied, self.texts(".command code")[0])
        self.assertEqual(self.texts(".command button")[0], "Copied")

    def test_the_keyboard_moves_from_a_box_to_its_trace(self):
        self.browser.open(self.broken)
        self.js("document.querySelector('.scroll').focus()")
        self.browser.press("Tab")
        self.assertIn("libtorchcodec_core8.dylib", self.js("document.activeElement.textContent"))
        self.assertEqual(self.count(".edge.lit"), 5)  # ops, pybind; FFmpeg, torch, libc++
        self.browser.press("Enter")
        self.assertEqual(self.js("new Promise((done) => setTimeout(done, 100)).then(() =>"
                                 "document.querySelector('#library-0').open)"), True)

    def test_screen_readers_get_a_description_of_the_drawing(self):
        self.browser.open(self.broken)
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        names = {(node.get("role", {}).get("value"), node.get("name", {}).get("value"))
                 for node in nodes}
        self.assertIn(("button", "Copy"), names)
        self.assertIn(("region", "Dependency graph"), names)
        self.assertTrue(any(role == "group" and "boxes represent libraries" in name
                            for role, name in names), names)
        self.assertTrue(any(role == "link" and "libtorchcodec_core8" in name
                            for role, name in names), names)

    def test_one_button_unfolds_all_and_folds_it_again(self):
        self.browser.open(self.broken)
        self.assertGreater(self.count("details"), 15)
        self.js("document.getElementById('unfold').click()")
        self.assertEqual(self.count("details:not([open])"), 0)
        self.js("document.getElementById('unfold').click()")
        self.assertEqual(self.count("details[open]"), 0)

    def test_it_prints_dark_on_white_and_without_buttons(self):
        self.browser.open(self.broken, width=794, scheme="dark", media="print")
        self.assertEqual(self.js("getComputedStyle(document.documentElement).colorScheme"), "light")
        self.assertEqual(self.js("getComputedStyle(document.body).color"), "rgb(26, 32, 39)")
        self.assertEqual(self.js("[...document.querySelectorAll('button')]"
                                 ".filter((button) => button.checkVisibility()).length"), 0)
        self.assertEqual(self.js("document.querySelector('.scroll').scrollWidth"),
                         self.js("document.querySelector('.scroll').clientWidth"))
        self.assertTrue(self.browser.pdf().startswith(b"%PDF"))

    def test_it_makes_no_requests(self):
        for page in (self.broken, self.repaired):
            self.browser.open(page)
            self.assertEqual(self.browser.requests, [page.resolve().as_uri()])
            self.assertEqual(self.browser.complaints(), [])
            text = page.read_text()
            outward = re.findall(r"""(?i)https?:|(?:src|href)\s*=(?!\s*["']?#)|@import|url\((?!#)""",
                                 text)
            self.assertEqual(outward, [])
            self.assertLess(len(text.encode()), 300_000)

    def test_no_other_script_runs(self):
        self.browser.open(self.broken)
        self.js("""{
          const script = document.createElement('script');
          script.textContent = "document.title = 'pwned'";
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title=1">');
        }""")
        self.assertTrue(self.browser.complaints())
        self.assertEqual(self.js("document.title"), "✕ torchcodec 0.9.1: Broken")

    def test_names_are_escaped(self):
        world = World(self.folder / "hostile", None)
        world.install("torchcodec-0.9.1")
        package = world.site / "torchcodec"
        evil = "</title></svg></code><script>document.title='pwned'</script>"
        name = "libtorchcodec_core7<img src=x onerror=alert(1)>\u202e\n.dylib"
        for library in package.glob("libtorchcodec_*"):
            if "core7" not in library.name:
                library.unlink()
        shutil.copy2(package / "libtorchcodec_core7.dylib", package / name)
        (package / "libtorchcodec_core7.dylib").unlink()
        tcfix("edit", "--rename-dependency", f"@rpath/libavutil.59.dylib=@rpath/{evil}.dylib",
              "--add-rpath", f"/{evil}", package / name)
        page = self.folder / "hostile.html"
        tcfix("doctor", "--html", page, "--sysroot", world.root, world.env, check=1)
        self.browser.open(page)
        self.js("for (const box of document.querySelectorAll('details')) box.open = true")
        self.assertEqual(self.count("script"), 1)
        self.assertEqual(self.count("img"), 0)
        self.assertEqual(self.count("svg"), 1)
        self.assertEqual(self.js("document.title"), "✕ torchcodec 0.9.1: Broken")
        self.assertEqual(self.browser.complaints(), [])
        shown = self.js("document.body.innerText")
        self.assertIn("<script>document.title='pwned'</script>.dylib", shown)
        self.assertIn("core7<img src=x onerror=alert(1)>\\xe280ae\\x0a.dylib", shown)


class Dot(MacEnvironment):
    @unittest.skipUnless(DOT, "graphviz is not installed")
    def test_graphviz_draws_it(self):
        for name, text in (("broken", self.broken_dot), ("repaired", self.repaired_dot)):
            source = self.folder / f"{name}.dot"
            source.write_text(text)
            drawn = run(DOT, "-Tsvg", source, check=0)
            self.assertEqual(drawn.stderr, "")
            self.assertEqual(drawn.stdout.count('class="node"'), text.count("[label="))
            self.assertEqual(drawn.stdout.count('class="edge"'), text.count(" -> "))
            for sign in "✕ missing", "✓ found":
                self.assertEqual(sign in drawn.stdout, sign in text)

    def test_it_agrees_with_the_page(self):
        page = re.findall(r'data-node="\d+"', self.broken.read_text())
        self.assertEqual(self.broken_dot.count("shape=box"), 1)
        self.assertEqual(len(page), len(re.findall(r"^  n\d+ \[", self.broken_dot, re.M)))
        self.assertEqual(self.broken_dot.count("✕ missing"), 5)
        self.assertEqual(self.repaired_dot.count("missing, not needed"), 4)

    def test_it_is_not_json(self):
        refused = tcfix("doctor", "--dot", "--json", *self.target, check=2)
        self.assertIn("--dot and --json", refused.stderr)


class Options(MacEnvironment):
    def test_the_page_is_written_in_addition_to_other_output(self):
        page = self.folder / "beside.html"
        page.write_text("something older")
        said = tcfix_json("doctor", "--html", page, *self.target)
        self.assertEqual(said["verdict"], "ok")
        self.assertEqual(page.read_bytes(), self.repaired.read_bytes())

    def test_a_page_that_cannot_be_written_is_an_error(self):
        page = self.folder / "no" / "such" / "folder.html"
        failed = tcfix("doctor", "--html", page, *self.target, check=3)
        self.assertIn(str(page), failed.stderr)

    def test_it_needs_a_name(self):
        tcfix("doctor", "--html=", *self.target, check=2)


if __name__ == "__main__":
    unittest.main()
