"""Small line charts as SVG, both axes logarithmic, readable on a light and on a dark page."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 40, 48
COLOURS = ("#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df", "#57606a")
GREY = "#8c959f"


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return range(low, max(high, low + 1) + 1)


def number(value):
    """1500000 is 1.5M; 0.002 is 2m."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ")):
        if value >= factor * 0.9999:
            return f"{value / factor:g}{unit}"
    return f"{value:g}"


def chart(title, x_name, y_name, lines):
    """`lines`: {name: [(x, y), ...]}; x and y are positive. The last number of each axis carries the unit's name."""
    points = [point for line in lines.values() for point in line]
    xs, ys = decades([x for x, _ in points]), decades([y for _, y in points])

    def across(x):
        return LEFT + (math.log10(x) - xs[0]) / (xs[-1] - xs[0]) * (WIDTH - LEFT - RIGHT)

    def up(y):
        return HEIGHT - BOTTOM - (math.log10(y) - ys[0]) / (ys[-1] - ys[0]) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
           f'height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="{GREY}">',
           f"<title>{escape(title)}</title>",
           f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>']
    for power in xs:
        x = across(10 ** power)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GREY}" stroke-opacity=".3"/>'
                   f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{number(10 ** power)}</text>')
    for power in ys:
        y = up(10 ** power)
        out.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GREY}" stroke-opacity=".3"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number(10 ** power)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_name)}</text>'
               f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y_name)}</text>')
    label = TOP
    # Names in the order of the lines' ends, so that each is next to its line.
    for place, (name, line) in enumerate(sorted(lines.items(), key=lambda item: -item[1][-1][1])):
        colour = COLOURS[list(lines).index(name) % len(COLOURS)]
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        label = max(label + (15 if place else 0), up(line[-1][1]) + 4)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{label:.1f}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
