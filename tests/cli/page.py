"""Plans as pages, for tests."""
import json
import pathlib
import re

from steps import expect, run

DOCUMENT = re.compile(
    r'<script type="application/json" id="plan">(.*?)</script>', re.DOTALL)

SOURCE = """
mesh: {x: 4}
checkpoint: {path: "src/{rank}.h5"}
catalog: table.yaml
tensors: [{name: "**", placements: {x: shard(0)}}]
"""
TARGET = """
mesh: {dp: 2, tp: 2}
checkpoint: {path: "dst/{rank}.h5"}
tensors:
  - {name: "a.*.w", placements: {tp: {shard: 1, segments: [8, 8]}, dp: shard(0)}}
  - {name: "**", placements: {tp: shard(0)}}
"""
# A name that could end the page's document, and one in another script.
TABLE = """
format: tensor-table-1
tensors:
  - {name: "a.0.w", shape: [24, 16], dtype: f32}
  - {name: "a.1.w", shape: [24, 16], dtype: f32}
  - {name: "a.2.w", shape: [24, 16], dtype: f32}
  - {name: "b</script><!--<script>.w", shape: [40], dtype: f32}
  - {name: "c.größe", shape: [8, 4, 6], dtype: f32}
"""


def write_layouts(folder, source=SOURCE, target=TARGET, table=TABLE):
    (folder / "src.yaml").write_text(source)
    (folder / "dst.yaml").write_text(target)
    (folder / "table.yaml").write_text(table)


def make_page(dtx, folder, *options):
    """Plans what is in the folder; returns the page and its document."""
    path = folder / "plan.html"
    run(dtx, "plan", folder / "src.yaml", folder / "dst.yaml", "--html", path,
        *options)
    page = path.read_text()
    found = DOCUMENT.findall(page)
    expect(len(found) == 1, f"{len(found)} documents in the page")
    return page, json.loads(found[0])


def large_layouts(folder):
    """16,384 ranks."""
    ranks = 16384
    write_layouts(
        folder,
        f'{{mesh: {{x: {ranks}}}, checkpoint: {{path: "s/{{rank}}.h5"}}, '
        'catalog: table.yaml, tensors: [{name: "**", placements: '
        '{x: shard(0)}}]}',
        '{mesh: {y: 128, z: 128}, checkpoint: {path: "d/{rank}.h5"}, tensors: '
        '[{name: "**", placements: {z: shard(0), y: shard(0)}}]}',
        "format: tensor-table-1\ntensors:\n" + "".join(
            f"  - {{name: w.{i}, shape: [32768, 4], dtype: f32}}\n"
            for i in range(10)))
    return ranks


def resolve(word):
    return pathlib.Path(word).resolve()
