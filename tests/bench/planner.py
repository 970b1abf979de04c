"""How long plans of large jobs take, and how that grows."""
import pathlib
import tempfile
import time

from running import in_turn, lines_of, median_seconds, run
from running import Run
from scenes import rules, table_of
from tables import draw, seconds

# The most seconds of one core that a plan of bench-plan may take.
MOST = {
    "one tensor, rows on 1024 -> columns on 1024": 0.01,
    "405B, fsdp 16384 -> dp 1024 tp 8, 16384 procs": 0.3,
    "405B, fsdp 16384 -> dp 1024 tp 8, 8 procs": 0.3,
    "DeepSeek-V3, pp 16 ep 64 dp 2 -> ep 320, 2048 procs": 1.0,
    "DeepSeek-V3, pp 16 ep 64 dp 2 -> ep 320, 8 procs": 1.0,
    "405B, fsdp 64 -> tp 8 dp 8, 64 procs": 0.01,
    "405B, fsdp 1024 -> tp 8 dp 128, 1024 procs": 0.02,
    "1024 tensors, 1024 -> 512, 1024 procs": 0.05,
    "1024 tensors, 2048 -> 1024, 2048 procs": 0.1,
}

# How many times as long one plan may take as another.
GROWTH = [
    ("twice the ranks, of 405B", "405B, fsdp 1024 -> tp 8 dp 128, 1024 procs",
     "405B, fsdp 512 -> tp 8 dp 64, 512 procs", 2.0),
    ("twice the ranks, of 1,024 tensors",
     "1024 tensors, 2048 -> 1024, 2048 procs",
     "1024 tensors, 1024 -> 512, 1024 procs", 2.0),
    ("16 times the equal layers", "256 equal tensors, 512 -> 1024, 1024 procs",
     "16 equal tensors, 512 -> 1024, 1024 procs", 1.5),
]

TRANSFERS_MOST = 1.5  # seconds for 1,048,576 lines


def verdict(value, most):
    return "met" if value <= most else "missed"


def plan_seconds(options):
    """{name: the median of the seconds} of bench-plan's cases."""
    rounds = [lines_of(run(options.build.bench("bench-plan"), "--lines"))
              for _ in range(options.runs)]
    return {name.removeprefix("plan: "):
            sorted(times[name] for times in rounds)[len(rounds) // 2]
            for name in rounds[0] if name.startswith("plan: ")}


def transfer_lines(options):
    """The seconds in which `dtx plan` writes 1,048,576 transfers."""
    with tempfile.TemporaryDirectory(prefix="dtx-bench-") as name:
        folder = pathlib.Path(name)
        table_of(folder / "table.yaml", 1, (1048576, 1024), "bf16")
        (folder / "src.yaml").write_text(
            rules("{a: 1024}", "{a: shard(0)}") +
            "checkpoint: {path: \"s/{rank}.h5\"}\ncatalog: table.yaml\n")
        (folder / "dst.yaml").write_text(
            rules("{b: 1024}", "{b: shard(1)}") +
            "checkpoint: {path: \"t/{rank}.h5\"}\n")

        def once():
            begin = time.monotonic()
            run(options.build.dtx, "plan", folder / "src.yaml",
                folder / "dst.yaml", "--transfers", folder / "lines")
            return Run(time.monotonic() - begin, 0, "")

        runs = in_turn({"lines": once}, options.runs)["lines"]
        with open(folder / "lines", encoding="utf-8") as lines:
            count = sum(1 for _ in lines)
        return f"{count:,} transfer lines", median_seconds(runs)


def show(options):
    print(f"\nplans, on one core, medians of {options.runs} runs")
    times = plan_seconds(options)
    rows = [["plan", "takes", "bar", ""]]
    rows += [[name, seconds(times[name]), seconds(most),
              verdict(times[name], most)] for name, most in MOST.items()]
    name, took = transfer_lines(options)
    rows.append([name, seconds(took), seconds(TRANSFERS_MOST),
                 verdict(took, TRANSFERS_MOST)])
    for name, large, small, most in GROWTH:
        ratio = times[large] / times[small]
        rows.append([name, f"x {ratio:.2f}", f"x {most:.2f}",
                     verdict(ratio, most)])
    draw(rows)
