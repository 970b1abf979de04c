"""Running programs in turn, and what they took."""
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

# What one run took: seconds, the most memory of a process in bytes, and what
# it printed.
Run = collections.namedtuple("Run", "seconds memory output")

# Where several MPIs are installed, mpirun may be another's.
MPIRUN = shutil.which("mpirun.mpich") or "mpirun"
LONGEST = 3600  # seconds; what takes longer hangs


class Failed(Exception):
    """A program that was measured has failed."""


class Build:
    """The programs of one build folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.dtx = self.folder / "dtx"
        self.checkpoint = self.folder / "tools" / "dtx-checkpoint"
        self.span = self.bench("bench-span.so")
        for path in (self.dtx, self.checkpoint, self.span):
            if not path.exists():
                raise Failed(f"'{path}' isn't there: build all of dtx first")

    def bench(self, name):
        return self.folder / "tests" / "bench" / name


def run(*words, **how):
    """Runs a program to its end; returns what it printed."""
    done = subprocess.run([str(word) for word in words], capture_output=True,
                          text=True, check=False, timeout=LONGEST, **how)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))}\nended with "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_job(build, processes, *words):
    """Runs an MPI program: a Run from MPI_Init's return to MPI_Finalize's
    call, of all processes together."""
    with tempfile.NamedTemporaryFile("r") as notes:
        output = run(MPIRUN, "-n", processes, "-genv", "LD_PRELOAD",
                     build.span, "-genv", "BENCH_SPAN", notes.name, *words)
        lines = [line.split() for line in notes]
    if len(lines) != processes:
        raise Failed(f"{len(lines)} of {processes} processes told their time")
    begin = min(float(line[0]) for line in lines)
    end = max(float(line[1]) for line in lines)
    return Run(end - begin, max(int(line[2]) for line in lines) * 1024, output)


def in_turn(ways, runs):
    """Runs {name: function that returns a Run} in turn; the first round, which
    touches files and memory, isn't counted. Returns {name: [Run]}."""
    results = {name: [] for name in ways}
    for turn in range(runs + 1):
        for name, way in ways.items():
            result = way()
            if turn > 0:
                results[name].append(result)
    return results


def median(runs):
    """The run with the median of the seconds (the upper one of two)."""
    return sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]


def median_seconds(runs):
    return statistics.median(run.seconds for run in runs)


def lines_of(output):
    """{name: seconds} from what a small benchmark prints with --lines."""
    pairs = (line.split("\t", 1) for line in output.splitlines() if line)
    return {name: float(seconds) for seconds, name in pairs}


def calibrate(build, processes, folder, file, is_cold=False):
    """Writes a machine file for jobs of so many processes in a folder."""
    run(MPIRUN, "-n", processes, build.dtx, "calibrate", folder, "--machine",
        file, *([] if is_cold else ["--cached"]))


def forget(paths):
    """Asks the system to keep nothing of files in memory."""
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def touch(paths):
    """Reads files whole, so that they are in memory where they fit."""
    buffer = bytearray(1 << 22)
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def summary(result):
    """What `dtx reshard --json` told."""
    return json.loads(result.output)
