"""dtx as a user runs it in batch jobs of a Slurm cluster.

Works inside a bed only: see the script of that name.
"""
import os
import pathlib
import subprocess
import time

import numpy as np

from checkpoints import alike, counted, read_file, write_file
from steps import expect, run

LAYOUT = """
mesh: {x: %d}
checkpoint: {path: "%s/{rank}.h5"}
tensors: [{name: "**", placements: {x: shard(%d)}}]
"""
TENSORS, SOURCE_RANKS, TARGET_RANKS = 40, 4, 3
SECONDS = 90

# Stands for dtx in the jobs: each write takes a while until the folder has a
# file `fast`, so that there is something to interrupt.
SLOW = """#!/bin/sh
if [ -e '{folder}/fast' ]; then
    exec '{dtx}' "$@"
fi
FAULT_BELOW='{folder}' FAULT_CALL=pwrite FAULT_WAIT={pace_ms} LD_PRELOAD='{preload}' \\
    exec '{dtx}' "$@"
"""


def values():
    return {f"t{i:02}": counted((64, 96), first=i * 1000)
            for i in range(TENSORS)}


class Job:
    """A checkpoint in a folder of its own, and the job that moves it."""

    def __init__(self, top, folder, dtx, preload, pace_ms=150):
        self.top, self.folder = top, folder
        folder.mkdir()
        (folder / "src.yaml").write_text(LAYOUT % (SOURCE_RANKS, "src", 0))
        (folder / "dst.yaml").write_text(LAYOUT % (TARGET_RANKS, "dst", 1))
        for rank in range(SOURCE_RANKS):
            write_file(folder / f"src/{rank}.h5",
                       {name: np.split(value, SOURCE_RANKS)[rank]
                        for name, value in values().items()})
        program = folder / "bin/dtx"
        program.parent.mkdir()
        program.write_text(SLOW.format(folder=folder, dtx=dtx,
                                       preload=preload, pace_ms=pace_ms))
        program.chmod(0o755)
        self.number = None

    def submit(self, script, *options):
        """Submits one of the scripts in configs/."""
        environment = {
            **{k: v for k, v in os.environ.items()
               if not k.startswith("DTX_")},
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "DTX_CHECKPOINT_EVERY": "0", "DTX_MEMORY": "1MiB",
            "HWLOC_COMPONENTS": "-pci"}
        done = subprocess.run(
            ["sbatch", "--parsable", "--mem=500", "--cpus-per-task=1",
             "--output=log", *options,
             self.top / "configs/slurm" / script, "src.yaml", "dst.yaml"],
            cwd=self.folder, env=environment, capture_output=True, text=True,
            check=False)
        expect(done.returncode == 0, f"sbatch: {done.stderr}")
        self.number = done.stdout.strip().split(";")[0]

    def log(self):
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    def state(self):
        for word in run("scontrol", "show", "job", self.number).split():
            if word.startswith("JobState="):
                return word.split("=")[1]
        return "UNKNOWN"

    def starts(self):
        told = run("scontrol", "show", "job", self.number)
        return 1 + int(told.split("Restarts=")[1].split()[0])

    def safe(self):
        """How many tensors the journal says are safe."""
        journal = self.folder / "dst/manifest.journal"
        try:
            lines = journal.read_text().splitlines()
        except FileNotFoundError:
            return 0
        return max([int(line.split()[1]) for line in lines
                    if line.startswith("safe ")], default=0)

    def hasten(self):
        """Lets what runs from now on be as fast as it can."""
        (self.folder / "fast").touch()

    def wait_for(self, condition, what, seconds=SECONDS):
        end = time.monotonic() + seconds
        while not condition():
            expect(time.monotonic() < end,
                   f"not within {seconds} s: {what}; job {self.number} is "
                   f"{self.state()}, its log:\n{self.log()}")
            time.sleep(0.2)

    def wait_for_work(self):
        self.wait_for(lambda: self.safe() > 0, "the first tensor is safe")

    def wait_for_end(self, state="COMPLETED"):
        self.wait_for(lambda: self.state() not in (
            "PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED",
            "SUSPENDED"), "the job ends")
        expect(self.state() == state,
               f"job {self.number} is {self.state()}, not {state}:\n"
               f"{self.log()}")

    def check(self):
        """Every element of the target is what belongs there."""
        for rank in range(TARGET_RANKS):
            got = read_file(self.folder / f"dst/{rank}.h5")
            for name, value in values().items():
                want = np.array_split(value, TARGET_RANKS, axis=1)[rank]
                expect(alike(got[name], want), f"{name} of {rank}")

    def expect_said(self, *parts):
        for part in parts:
            expect(part in self.log(), f"no '{part}' in\n{self.log()}")

    def expect_resumed(self):
        self.expect_said("going on")


def resolve(word):
    return pathlib.Path(word).resolve()
