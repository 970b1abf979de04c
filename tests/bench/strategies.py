"""Every strategy on six real changes of layout, and one file against many."""
import pathlib
import tempfile

from running import calibrate, in_turn, median, summary
from scenes import Scene, model_rules, model_scale, model_table
from tables import draw, draw_manual, seconds, size

STRATEGIES = ["materialize", "redistribute", "optimal", "direct", "auto"]

# Name, model, meshes, and how many times the source is written.
RESHARDS = [
    ("fsdp 8 -> tp 8", "llama-3.1-8b", {"fsdp": 8}, {"tp": 8}, 1),
    ("tp 8 -> tp 2", "llama-3.1-8b", {"tp": 8}, {"tp": 2}, 1),
    ("dp 2 x tp 4 -> tp 8", "llama-3.1-8b", {"dp": 2, "tp": 4}, {"tp": 8}, 1),
    ("pp 4 x tp 2 -> tp 8", "llama-3.1-8b", {"pp": 4, "tp": 2}, {"tp": 8}, 1),
    ("ep 8 -> ep 2", "qwen3-30b-a3b", {"ep": 8}, {"ep": 2}, 1),
    ("replicate 1 -> 8", "llama-3.1-8b", {"dp": 1}, {"dp": 8}, 8),
]


def make_scene(build, folder, index, limit):
    """The source of a change, and its target's layout."""
    name, model, source, target, copies = RESHARDS[index]
    scene = Scene(build, folder / f"change-{index}", model_table(model),
                  model_rules(build, model, source),
                  model_scale(model, limit / copies))
    return name, scene, scene.target("dst", model_rules(build, model, target))


def row_of(name, runs, best):
    """The cells of one strategy's row."""
    run = median(runs)
    told = summary(run)
    took = told["seconds"]["total"]
    predicted = told["seconds"]["predicted"]
    return [name, size(told["bytes"]["read"]), size(told["bytes"]["moved"]),
            size(run.memory), seconds(took), seconds(predicted),
            f"{took / predicted:.2f}", f"{(took / best - 1) * 100:+.0f} %"]


MANUAL_COLUMNS = 6  # of these
HEAD = ["strategy", "read", "moved", "memory/proc", "took", "predicted",
        "took/predicted", "from best"]


def told_seconds(run):
    return summary(run)["seconds"]["total"]


def with_told_seconds(run):
    """Of all strategies what dtx itself says it took, as it predicts that."""
    return run._replace(seconds=told_seconds(run))


def measure(options, scene, targets, machine):
    """{name: [Run]} for {name: (target, strategy)}."""
    def way(target, strategy):
        return lambda: with_told_seconds(scene.reshard(
            target, options.processes, "--strategy", strategy, "--machine",
            machine, is_cold=options.cold))

    return in_turn({name: way(*what) for name, what in targets.items()},
                   options.runs)


def show_change(options, folder, index, machine):
    """Measures one change; returns its title and rows."""
    name, scene, target = make_scene(options.build, folder, index,
                                     options.size)
    results = measure(options, scene,
                      {s: (target, s) for s in STRATEGIES}, machine)
    best = min(median(results[s]).seconds for s in STRATEGIES[:-1])
    rows = [row_of(s, results[s], best) for s in STRATEGIES]
    title = f"{name}   {RESHARDS[index][1]}, {size(scene.bytes)}"
    print(f"\n{title} in {len(scene.files)} files")
    draw([HEAD, *rows])
    scene.remove()
    return title, rows


def show_files(options, folder, machine):
    """One file per rank, and two ways to have one for all: as above."""
    name, model, source, target, _ = RESHARDS[0]
    scene = Scene(options.build, folder / "files", model_table(model),
                  model_rules(options.build, model, source),
                  model_scale(model, options.size))
    text = model_rules(options.build, model, target)
    targets = {
        "file per rank": scene.target("many", text),
        "one, by rank": scene.target(
            "one", text, "all.h5", ", dataset: \"{rank}/{name}\""),
        "one, by tensor": scene.target(
            "global", text, "all.h5", ", view: global"),
    }
    results = measure(options, scene,
                      {n: (t, "auto") for n, t in targets.items()}, machine)
    best = min(median(runs).seconds for runs in results.values())
    rows = [row_of(n, results[n], best) for n in targets]
    title = f"{name}, auto, by files   {model}, {size(scene.bytes)}"
    print(f"\n{title}")
    draw([["files", *HEAD[1:]], *rows])
    scene.remove()
    return title, rows


def show_folder(options, place):
    """All changes with checkpoints in one file system."""
    groups = []
    with tempfile.TemporaryDirectory(prefix="dtx-bench-", dir=place) as name:
        folder = pathlib.Path(name)
        machine = folder / "machine.yaml"
        calibrate(options.build, options.processes, folder, machine,
                  options.cold)
        print(f"\n{options.processes} processes, checkpoints in {place}, "
              f"read from {'storage' if options.cold else 'memory'}, medians "
              f"of {options.runs} runs")
        if options.verbose:
            print(machine.read_text())
        for index in options.changes:
            groups.append(show_change(options, folder, index, machine))
        if options.files:
            groups.append(show_files(options, folder, machine))
    if options.manual:
        print()
        draw_manual(HEAD[:MANUAL_COLUMNS],
                    {title: [row[:MANUAL_COLUMNS] for row in rows]
                     for title, rows in groups})


def show(options):
    for place in options.folders:
        show_folder(options, place)
