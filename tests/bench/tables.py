"""Tables for people, for a manual page, and sizes in words."""


def size(count):
    """Bytes as dtx writes them."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << shift:
            return f"{count / (1 << shift):.2f} {unit}"
    return f"{count:.0f} B"


def parse_size(text):
    """Bytes from 64MiB, 2GiB, 1e9."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if text.endswith(unit):
            return int(float(text[:-3]) * (1 << shift))
    return int(float(text))


def seconds(value):
    return f"{value * 1e3:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def draw(rows, left=1):
    """Rows of cells in columns; the first `left` columns at the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print(f"  {'  '.join(cells)}".rstrip(), flush=True)


def draw_manual(head, groups):
    """The rows of {title: rows} under one head, as a block of a manual page."""
    rows = [head, *(row for group in groups.values() for row in group)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row):
        cells = [cell.rjust(width) for cell, width in zip(row, widths)][1:]
        return f"  {row[0].ljust(widths[0])}  {'  '.join(cells)}"

    print("```")
    print(line(head))
    for title, group in groups.items():
        print(title)
        for row in group:
            print(line(row))
    print("```")
