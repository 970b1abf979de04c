"""Checkpoints to measure with: sources that are made, targets to be."""
import pathlib
import re
import shutil

from running import MPIRUN, Run, forget, run, run_job, touch

MODELS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "models"


def model_table(name):
    return MODELS / f"{name}.yaml"


def model_bytes(name):
    text = model_table(name).read_text()
    return int(re.search(r"^totals: .*\bbytes: (\d+)", text, re.M)[1])


def model_scale(name, size):
    """Divisors for dims 0 and 1, powers of 2, so that a model is at most about
    so many bytes large."""
    divisors = [1, 1]
    while model_bytes(name) / (divisors[0] * divisors[1]) > size:
        divisors[divisors[0] > divisors[1]] *= 2
    return f"0:{divisors[0]},1:{divisors[1]}"


def model_rules(build, name, mesh):
    """The mesh and the rules of a layout of a model."""
    axes = ",".join(f"{axis}={size}" for axis, size in mesh.items())
    return run(build.checkpoint, "rules", model_table(name), "--mesh", axes)


def rules(mesh, placements):
    """The same where all tensors go alike; both in YAML."""
    return (f"mesh: {mesh}\ntensors:\n"
            f"  - {{name: \"**\", placements: {placements}}}\n")


def table_of(path, count, shape, dtype):
    """A table of tensors that are all alike."""
    path.write_text(
        "model: alike\nformat: tensor-table-1\ntensors:\n"
        f"  - {{name: \"layers.{{i}}.weight\", range: {{i: [0, {count - 1}]}}, "
        f"shape: {list(shape)}, dtype: {dtype}}}\n")
    return path


class Scene:
    """A source in a folder of its own, and layouts of targets beside it."""

    def __init__(self, build, folder, table, source, scale=None):
        self.build, self.folder = build, folder
        folder.mkdir(parents=True)
        self.source = self._layout("src", source, "rank-{rank:05}.h5")
        words = [build.checkpoint, "write", table, self.source]
        run(*words, *(["--scale", scale] if scale else []))
        self.files = sorted((folder / "src").iterdir())
        self.bytes = sum(path.stat().st_size for path in self.files)
        touch(self.files)

    def _layout(self, name, text, path, more=""):
        layout = self.folder / f"{name}.yaml"
        layout.write_text(f"{text}checkpoint: {{path: \"{name}/{path}\""
                          f"{more}}}\n")
        return layout

    def target(self, name, text, path="rank-{rank:05}.h5", more=""):
        """A target's layout, whose files are in the folder of its name."""
        return self._layout(name, text, path, more)

    def clear(self, name):
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def reshard(self, target, processes, *options, build=None, dtx=None,
                is_cold=False):
        """Moves the source into a target that isn't there yet: a Run."""
        build = build or self.build
        self.clear(target.stem)
        if is_cold:
            forget(self.files)
        result = run_job(build, processes, dtx or build.dtx, "reshard",
                         self.source, target, "--json", "-q", *options)
        self.clear(target.stem)
        return result

    def target_files(self, target, processes):
        """Makes a target once; returns its files. clear() removes them."""
        self.clear(target.stem)
        run(MPIRUN, "-n", processes, self.build.dtx, "reshard", self.source,
            target, "-q")
        return sorted((self.folder / target.stem).glob("*.h5"))

    def remove(self):
        shutil.rmtree(self.folder)


def timed(clock, work):
    begin = clock()
    work()
    return Run(clock() - begin, 0, "")
