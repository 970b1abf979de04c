"""dtx beside what a user could run in its place, and beside itself."""
import collections
import pathlib
import shutil
import subprocess
import tempfile
import time

from running import MPIRUN, Failed, Run, in_turn, lines_of, median_seconds, run
from scenes import (Scene, model_rules, model_scale, model_table, rules,
                    table_of, timed)
from tables import draw, seconds, size

# What dtx is held against: its seconds may be so many times the other's.
Row = collections.namedtuple("Row", "title ours other theirs most")


def clock(work):
    return timed(time.monotonic, work)


def all_at_once(commands):
    """Runs commands beside each other, to the end of the last."""
    running = [subprocess.Popen([str(word) for word in command],
                                stdout=subprocess.DEVNULL)
               for command in commands]
    for process in running:
        if process.wait() != 0:
            raise Failed(f"{process.args} failed")


def copies(files, folder, processes):
    """`cp` of a share of the files on each of so many processes, made as safe
    as dtx makes its target: a Run."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    script = "d=$1; shift; cp \"$@\" \"$d\" && cd \"$d\" && sync *"
    shares = [files[i::processes] for i in range(processes)]
    result = clock(lambda: all_at_once(
        ["sh", "-c", script, "sh", folder, *share]
        for share in shares if share))
    shutil.rmtree(folder)
    return result


def alike_scene(options, folder, ranks, dtype="f32"):
    """Sixteen large tensors over a few ranks: a Scene, and its rules."""
    rows = max(options.size // (16 * 4096 * 4), ranks)
    table = table_of(folder / "alike.yaml", 16, (rows, 4096), dtype)
    text = rules(f"{{fsdp: {ranks}}}", "{fsdp: shard(0)}")
    return Scene(options.build, folder / "alike", table, text), text


def same_layout(options, folder):
    """Nothing changes: dtx with and without digests, and cp."""
    scene, text = alike_scene(options, folder, options.processes)
    target = scene.target("dst", text)
    bare = options.build.bench("bench-dtx-no-digest")
    times = in_turn({
        "dtx": lambda: scene.reshard(target, options.processes),
        "bare": lambda: scene.reshard(target, options.processes, dtx=bare),
        "cp": lambda: copies(scene.files, scene.folder / "copy",
                             options.processes),
    }, options.runs)
    took = {name: median_seconds(runs) for name, runs in times.items()}
    title = f"same layout, {size(scene.bytes)}"
    return [
        Row(title, took["dtx"], f"{options.processes} x cp", took["cp"], 1.1),
        Row(f"{title}, no digests", took["bare"], f"{options.processes} x cp",
            took["cp"], 1.0),
        Row(title, took["dtx"], "no digests", took["bare"], 1.1),
    ]


def model_change(options, folder):
    """A real model from FSDP to tensor parallel, and cp of its source."""
    name = "llama-3.1-8b"
    scene = Scene(options.build, folder / "model", model_table(name),
                  model_rules(options.build, name, {"fsdp": 8}),
                  model_scale(name, options.size))
    target = scene.target("dst", model_rules(options.build, name, {"tp": 4}))
    times = in_turn({
        "dtx": lambda: scene.reshard(target, options.processes),
        "cp": lambda: copies(scene.files, scene.folder / "copy",
                             options.processes),
    }, options.runs)
    return [Row(f"Llama-3.1-8B fsdp 8 -> tp 4, {size(scene.bytes)}",
                median_seconds(times["dtx"]), f"{options.processes} x cp",
                median_seconds(times["cp"]), 1.2)]


def transposed(options, folder):
    """Rows to columns: ten tensors, each as fast as one alone, and as cp."""
    rows = min(200000, max(options.size // (10 * 600 * 8), 2))
    table = table_of(folder / "ten.yaml", 10, (rows, 600), "f64")
    scene = Scene(options.build, folder / "ten", table,
                  rules("{a: 2}", "{a: shard(0)}"))
    target = scene.target("dst", rules("{a: 2}", "{a: shard(1)}"))
    times = in_turn({
        "ten": lambda: scene.reshard(target, 2),
        "one": lambda: scene.reshard(target, 2, "--include",
                                     "layers.0.weight"),
        "cp": lambda: copies(scene.files, scene.folder / "copy", 2),
    }, options.runs)
    took = {name: median_seconds(runs) for name, runs in times.items()}
    title = f"[{rows}, 600] f64 rows -> columns"
    return [
        Row(f"{title}, each of ten", took["ten"] / 10, "one alone",
            took["one"], 1.1),
        Row(f"{title}, ten", took["ten"], "2 x cp", took["cp"], 1.5),
    ]


def loop_of(scene, target_files, processes):
    """The bare HDF5 loop: each of the target's files from its share of the
    source's, as many at a time as dtx has processes."""
    program = scene.build.bench("bench-hdf5-loop")
    folder = scene.folder / "loop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    share = len(scene.files) // target_files
    commands = [[program, folder / f"{i}.h5",
                 *scene.files[i * share:(i + 1) * share]]
                for i in range(target_files)]

    def work():
        for first in range(0, target_files, processes):
            all_at_once(commands[first:first + processes])

    result = clock(work)
    shutil.rmtree(folder)
    return result


def experts(options, folder):
    """18,867 tensors, most of them small, and a loop of plain HDF5 calls."""
    name = "qwen3-30b-a3b"
    limit = max(options.size, 64 << 20)
    scene = Scene(options.build, folder / "experts", model_table(name),
                  model_rules(options.build, name, {"ep": 8}),
                  model_scale(name, limit))
    target = scene.target("dst", model_rules(options.build, name, {"ep": 2}))
    times = in_turn({
        "dtx": lambda: scene.reshard(target, options.processes),
        "loop": lambda: loop_of(scene, 2, options.processes),
    }, options.runs)
    return [Row(f"Qwen3-30B-A3B ep 8 -> ep 2, 18,867 tensors, "
                f"{size(scene.bytes)}", median_seconds(times["dtx"]),
                "bare HDF5 loop", median_seconds(times["loop"]), 1.3)]


def arrays(options, _):
    """A matrix in memory on 4 processes, and ScaLAPACK."""
    order = 1024
    while 2 * order * order * 8 * 4 <= options.size and order < 8192:
        order *= 2
    lines = lines_of(run(MPIRUN, "-n", 4, options.build.bench("bench-arrays"),
                         order, options.runs))
    return [Row(f"{order} x {order} f64, {name.removeprefix('dtx: ')}", took,
                "PDGEMR2D",
                lines.get(name.replace("dtx", "PDGEMR2D")), 0.5)
            for name, took in lines.items() if name.startswith("dtx: ")]


def repacked(options, folder):
    """The same layout, and h5repack of each file."""
    scene, text = alike_scene(options, folder, options.processes)
    target = scene.target("dst", text)
    out = scene.folder / "packed"

    def repack():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        result = clock(lambda: all_at_once(
            ["h5repack", path, out / path.name] for path in scene.files))
        shutil.rmtree(out)
        return result

    times = in_turn({
        "dtx": lambda: scene.reshard(target, options.processes),
        "h5repack": repack if shutil.which("h5repack") else
        lambda: Run(float("nan"), 0, ""),
    }, options.runs)
    return [Row(f"same layout, {size(scene.bytes)}",
                median_seconds(times["dtx"]),
                f"{options.processes} x h5repack",
                median_seconds(times["h5repack"])
                if shutil.which("h5repack") else None, 0.33)]


def converted(options, folder):
    """float32 to bfloat16, and the same move as it is."""
    scene, text = alike_scene(options, folder, options.processes)
    plain = scene.target("plain", text)
    half = scene.target("half", text.replace("\"**\"",
                                             "\"**\", dtype: bfloat16"))
    times = in_turn({
        "half": lambda: scene.reshard(half, options.processes),
        "plain": lambda: scene.reshard(plain, options.processes),
    }, options.runs)
    return [Row(f"float32 -> bfloat16, {size(scene.bytes)}",
                median_seconds(times["half"]), "as it is",
                median_seconds(times["plain"]), 1.1)]


def crowded(options, folder):
    """Twice as many processes on the same cores."""
    name = "llama-3.1-8b"
    scene = Scene(options.build, folder / "crowded", model_table(name),
                  model_rules(options.build, name, {"fsdp": 8}),
                  model_scale(name, options.size))
    target = scene.target("dst", model_rules(options.build, name, {"tp": 8}))
    few, many = options.processes, 2 * options.processes
    times = in_turn({
        "many": lambda: scene.reshard(target, many),
        "few": lambda: scene.reshard(target, few),
    }, options.runs)
    return [Row(f"Llama-3.1-8B fsdp 8 -> tp 8, {size(scene.bytes)}, {many} "
                "processes", median_seconds(times["many"]),
                f"{few} processes", median_seconds(times["few"]), 1.2)]


def started(options, folder):
    """`dtx plan` of next to nothing."""
    table = table_of(folder / "little.yaml", 3, (8, 8), "f32")
    text = rules("{a: 2}", "{a: shard(0)}")
    scene = Scene(options.build, folder / "little", table, text)
    target = scene.target("dst", text)
    times = in_turn({
        "plan": lambda: clock(lambda: run(options.build.dtx, "plan",
                                          scene.source, target)),
    }, 4 * options.runs)
    return [Row("dtx plan of 3 tensors", median_seconds(times["plan"]),
                "30 ms", 0.03, 1.0)]


BARS = {"same": same_layout, "model": model_change, "transpose": transposed,
        "experts": experts, "arrays": arrays, "repack": repacked,
        "convert": converted, "crowded": crowded, "start": started}


def cells(row):
    if row.theirs is None:
        return [row.title, seconds(row.ours), row.other, "not installed", "",
                f"{row.most:.2f}", "skipped"]
    ratio = row.ours / row.theirs
    return [row.title, seconds(row.ours), row.other, seconds(row.theirs),
            f"{ratio:.2f}", f"{row.most:.2f}",
            "met" if ratio <= row.most else "missed"]


def show(options):
    print(f"\ndtx on {options.processes} processes, files in "
          f"{options.folders[0]}, medians of {options.runs} runs in turn")
    rows = [["what", "dtx", "beside", "takes", "ratio", "bar", ""]]
    for name in options.names or BARS:
        with tempfile.TemporaryDirectory(prefix="dtx-bench-",
                                         dir=options.folders[0]) as folder:
            rows += map(cells, BARS[name](options, pathlib.Path(folder)))
    draw(rows)
