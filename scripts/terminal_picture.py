"""Draws terminal output as an SVG picture, with its colours (SGR escape sequences)."""
import re
from xml.sax.saxutils import escape

COLUMNS = 80
CELL, LINE, SIZE, MARGIN, BAR = 8.4, 19, 14, 16, 30
NO_BREAK_SPACE = "\u00a0"  # several in a row are drawn as several
ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
THEMES = {
    "light": {"background": "#ffffff", "frame": "#d0d7de", "text": "#1f2328", "dim": "#656d76", "31": "#cf222e",
              "32": "#1a7f37", "33": "#9a6700", "36": "#1b7c83"},
    "dark": {"background": "#0d1117", "frame": "#30363d", "text": "#e6edf3", "dim": "#8d96a0", "31": "#ff7b72",
             "32": "#3fb950", "33": "#d29922", "36": "#39c5cf"},
}


def spans(line):
    """[(text, codes)] of a line; codes are the active ones, such as {"1", "32"}."""
    found, codes, at = [], set(), 0
    for escape_sequence in ESCAPE.finditer(line):
        found.append((line[at:escape_sequence.start()], frozenset(codes)))
        for code in escape_sequence[1].split(";"):
            codes = codes | {code} if code not in ("", "0") else set()
        at = escape_sequence.end()
    return [(text, codes) for text, codes in [*found, (line[at:], frozenset(codes))] if text]


def style(codes, theme):
    unknown = codes - {"1", "2"} - theme.keys()
    if unknown:
        raise ValueError(f"no colour for the escape sequences {sorted(unknown)}")
    colour = next((theme[code] for code in sorted(codes) if code in theme), theme["dim"] if "2" in codes else None)
    weight = ' font-weight="bold"' if "1" in codes else ""
    return weight + (f' fill="{colour}"' if colour else "")


def draw(lines, theme_name, title):
    """The picture of these lines, 80 columns wide; longer lines continue in the next row, as in a terminal."""
    theme, rows = THEMES[theme_name], []
    for line in lines:
        row, column = [], 0
        for text, codes in spans(line):
            while text:
                part, text = text[:COLUMNS - column], text[COLUMNS - column:]
                row.append((column, part, codes))
                column += len(part)
                if text:
                    rows.append(row)
                    row, column = [], 0
        rows.append(row)
    width = round(COLUMNS * CELL + 2 * MARGIN)
    height = BAR + MARGIN + LINE * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" '
           f'font-size="{SIZE}" fill="{theme["text"]}">',
           f"<title>{escape(title)}</title>",
           f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" '
           f'fill="{theme["background"]}" stroke="{theme["frame"]}"/>']
    out += [f'<circle cx="{20 + 18 * i}" cy="17" r="5" fill="{theme["frame"]}"/>' for i in range(3)]
    for number, row in enumerate(rows):
        y = BAR + LINE * number + SIZE
        for column, text, codes in row:
            column += len(text) - len(text.lstrip())
            if text := text.strip():  # with a fixed width, so that columns align in any font
                out.append(f'<text x="{MARGIN + column * CELL:g}" y="{y}" textLength="{len(text) * CELL:g}"'
                           f'{style(codes, theme)}>{escape(text).replace(" ", NO_BREAK_SPACE)}</text>')
    return "\n".join([*out, "</svg>", ""])
