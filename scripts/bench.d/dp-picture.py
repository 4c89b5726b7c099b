"""Draws the tables of docs/results/dp.md: dp-picture.py PAGE OUT.svg. Each set is a panel, and
each method with noise a line."""
import sys

WIDTH, HEIGHT, LEFT, TOP, ACROSS = 190, 110, 34, 40, 4
COLORS = {"sums": "#1b6ca8", "sums of k columns": "#8fbcd9", "rows": "#c2571a", "edges": "#c2571a"}

panels, name = {}, None
with open(sys.argv[1], encoding="utf-8") as f:
    for line in f:
        cell = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("| "):
            name = None
        elif cell[1].startswith("L="):
            name, columns = cell[0], cell[1:]
        elif name and cell[0] != "---":
            way, _, eps = cell[0].partition("; eps ")
            for column, value in zip(columns, cell[1:]):
                if " +- " in value:
                    panels.setdefault(name,
                                      []).append((way, float(eps or 0), column,
                                                  float(value.split()[0])))

EPS = sorted({eps for cells in panels.values() for _, eps, _, _ in cells if eps})


def x_of(eps):
    return EPS.index(eps) * (WIDTH - 20) / (len(EPS) - 1)


def y_of(value):
    return HEIGHT - 30 - max(value, 0) * (HEIGHT - 40)


def panel(name, cells):
    yield f'<text x="0" y="0" font-weight="bold">{name}</text>'
    for value in (0, 0.5, 1):
        yield (f'<path d="M0 {y_of(value):.1f}H{WIDTH - 20}" stroke="#ddd"/>'
               f'<text x="-4" y="{y_of(value) + 3:.1f}" text-anchor="end">{value:g}</text>')
    for eps in EPS:
        yield f'<text x="{x_of(eps):.1f}" y="{HEIGHT - 16}" text-anchor="middle">{eps:g}</text>'
    for way, column in sorted({(w, c) for w, _, c, _ in cells}):
        points = sorted((eps, v) for w, eps, c, v in cells if (w, c) == (way, column))
        dash = "" if column == "L=2" else ' stroke-dasharray="3 2"'
        if way == "none":
            yield (f'<path d="M0 {y_of(points[0][1]):.1f}H{WIDTH - 20}" stroke="#444" '
                   f'stroke-width=".8"{dash}/>')
            continue
        line = "L".join(f"{x_of(eps):.1f} {y_of(v):.1f}" for eps, v in points)
        yield f'<path d="M{line}" stroke="{COLORS[way]}" stroke-width="1.6" fill="none"{dash}/>'
        yield from (f'<circle cx="{x_of(eps):.1f}" cy="{y_of(v):.1f}" r="2" fill="{COLORS[way]}"/>'
                    for eps, v in points)


rows = -(-len(panels) // ACROSS)
with open(sys.argv[2], "w", encoding="utf-8") as f:
    f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + ACROSS * (WIDTH + 20)}" '
            f'height="{TOP + rows * (HEIGHT + 20)}" font-family="sans-serif" font-size="9">\n')
    f.write('<rect width="100%" height="100%" fill="#fff"/>\n')
    f.write(f'<text x="{LEFT}" y="16">ARI by eps, delta 1e-5; whole lines two parties, dashed '
            'eight; grey: no noise; blue: noise in sums (light: as many columns '
            "as clusters); red: each party's own, on rows or edges</text>\n")
    for i, (name, cells) in enumerate(panels.items()):
        f.write(f'<g transform="translate({LEFT + i % ACROSS * (WIDTH + 20)} '
                f'{TOP + i // ACROSS * (HEIGHT + 20)})">\n')
        f.writelines(f"{line}\n" for line in panel(name, cells))
        f.write("</g>\n")
    f.write("</svg>\n")
