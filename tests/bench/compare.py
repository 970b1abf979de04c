"""Two builds, benchmark by benchmark, in turn."""
import math
import pathlib
import statistics
import tempfile

from running import lines_of, run
from scenes import Scene, model_rules, model_scale, model_table
from tables import draw

# What prints lines, and the words that make it quick.
PROGRAMS = {"plan": ["--lines", 0, 99, 1], "box-copy": ["--lines"],
            "digest": ["--lines"], "convert": ["--lines"],
            "storage": ["--lines"]}

# Whole runs: name, model, meshes, options.
MOVES = [
    ("fsdp 8 -> tp 8, optimal", "llama-3.1-8b", {"fsdp": 8}, {"tp": 8},
     ["--strategy", "optimal"]),
    ("fsdp 8 -> tp 8, direct", "llama-3.1-8b", {"fsdp": 8}, {"tp": 8},
     ["--strategy", "direct"]),
    ("fsdp 8 -> tp 8, redistribute", "llama-3.1-8b", {"fsdp": 8}, {"tp": 8},
     ["--strategy", "redistribute"]),
    ("fsdp 8 -> tp 8, materialize", "llama-3.1-8b", {"fsdp": 8}, {"tp": 8},
     ["--strategy", "materialize"]),
    ("pp 4 x tp 2 -> tp 8, auto", "llama-3.1-8b", {"pp": 4, "tp": 2},
     {"tp": 8}, []),
    ("replicate 1 -> 8, auto", "llama-3.1-8b", {"dp": 1}, {"dp": 8}, []),
]

GROUPS = [*PROGRAMS, "reshard"]

SURE = 4  # standard errors beyond which a change isn't noise
LEAST = 0.03  # and the least change that is worth a mark


def add_programs(build, names, times):
    """Adds the seconds of one round of small benchmarks."""
    for name in names:
        program = build.bench(f"bench-{name}")
        if name not in PROGRAMS or not program.exists():
            continue  # of an older build
        for line, took in lines_of(run(program, *PROGRAMS[name])).items():
            times.setdefault(line, []).append(took)


def make_moves(options, build, folder):
    """[(name, function of a build that returns seconds)]"""
    moves = []
    scenes = {}
    for number, (name, model, source, target, words) in enumerate(MOVES):
        key = (model, *source.items())
        if key not in scenes:
            scenes[key] = Scene(build, folder / str(number),
                                model_table(model),
                                model_rules(build, model, source),
                                model_scale(model, options.size))
        scene = scenes[key]
        layout = scene.target(f"dst-{number}",
                              model_rules(build, model, target))
        moves.append((f"reshard: {name}",
                      lambda other, s=scene, d=layout, w=words: s.reshard(
                          d, options.processes, *w, build=other).seconds))
    return moves


def mark(old, new):
    """The change from old times to new ones, and what it is if it is sure."""
    means = statistics.mean(old), statistics.mean(new)
    change = means[1] / means[0] - 1
    spread = math.sqrt(sum(
        (statistics.stdev(times) if len(times) > 1 else math.inf) ** 2 /
        len(times) for times in (old, new)))
    is_sure = (abs(means[1] - means[0]) > SURE * spread and
               abs(change) > LEAST)
    word = ("slower" if change > 0 else "faster") if is_sure else ""
    return f"{change * 100:+.1f} %", word


def amount(value):
    """A time or a count in four digits."""
    return f"{value:.4g}"


def show(options, builds):
    """Shows means, operations a second, and changes from the first build to
    the second."""
    times = [{}, {}]
    with tempfile.TemporaryDirectory(prefix="dtx-bench-",
                                     dir=options.folders[0]) as folder:
        names = options.only or GROUPS
        moves = (make_moves(options, builds[0], pathlib.Path(folder))
                 if "reshard" in names else [])
        for turn in range(options.runs + 1):
            if turn == 1:
                times = [{}, {}]  # the first round isn't counted
            for build, own in zip(builds, times):
                add_programs(build, names, own)
                for name, move in moves:
                    own.setdefault(name, []).append(move(build))
    rows = [["benchmark", "ms", "per s", "ms", "per s", "change", ""]]
    for name in times[0]:
        if name not in times[1]:
            continue
        means = [statistics.mean(own[name]) for own in times]
        rows.append([name, *(cell for mean in means for cell in
                             (amount(mean * 1e3), amount(1 / mean))),
                     *mark(times[0][name], times[1][name])])
    words = [row[-1] for row in rows]
    print(f"{builds[0].folder} (left) and {builds[1].folder}, means of "
          f"{options.runs} rounds in turn")
    draw(rows)
    print(f"{len(rows) - 1} benchmarks, {words.count('faster')} faster, "
          f"{words.count('slower')} slower beyond the noise")
    only = [set(times[i]) - set(times[1 - i]) for i in range(2)]
    for build, names in zip(builds, only):
        for name in sorted(names):
            print(f"only in {build.folder}: {name}")
