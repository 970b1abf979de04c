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


def draw_manual(rows, left=1):
    """The same as a table in scdoc, for a manual page."""
    for number, row in enumerate(rows):
        for i, cell in enumerate(row):
            if number == 0:
                begin = "[[ " if i == 0 else ":< " if i < left else ":> "
                print(f"{begin}*{cell}*")
            else:
                print(f"{'| ' if i == 0 else ': '} {cell}")
