"""dtx as a user runs it on several hosts, in a folder that they share.

Works inside a bed only: see the script of that name.
"""
import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np

from checkpoints import alike, read_file, write_file
from steps import expect

HERE = pathlib.Path(__file__).resolve().parent
KEEP_STATUS = HERE.parent / "support" / "keep-status"

LAYOUT = """
mesh: {x: %d}
checkpoint: {path: "%s/{rank}.h5"}
tensors: [{name: "**", placements: {%s}}]
"""


def bytes_received(host):
    """What has come to a host over its link since it was set up."""
    told = subprocess.run(
        ["ip", "-s", "-j", "link", "show", "dev", f"port{host}"],
        capture_output=True, text=True, check=True)
    # What the port of the bridge sends, the host receives.
    return json.loads(told.stdout)[0]["stats64"]["tx"]["bytes"]


def pids_of(host, name="dtx"):
    """The processes of a host that run this program; all with None."""
    pids = subprocess.run(["ip", "netns", "pids", f"h{host}"], text=True,
                          capture_output=True, check=True).stdout.split()
    return [int(pid) for pid in pids if name in (None, _name_of(pid))]


def _name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None  # it has just ended


class Hosts:
    """Runs dtx with so many processes on each of the bed's hosts."""

    def __init__(self, dtx, folder, each):
        self.dtx, self.folder = pathlib.Path(dtx).resolve(), folder
        self.each = each
        self.count = len(os.environ["DTX_BED_HOSTS"].split(","))

    def run(self, *words):
        """Runs a command that must end well everywhere; what it printed."""
        notes = self.folder / "statuses"
        notes.write_text("")
        done = subprocess.run(
            [HERE / "run-hosts", str(self.each), "20", KEEP_STATUS, notes,
             self.dtx, *words],
            cwd=self.folder, capture_output=True, text=True, check=False)
        told = f"dtx {' '.join(words)}\n{done.stdout}{done.stderr}"
        expect(done.returncode != 124, f"it hung: {told}")
        statuses = notes.read_text().split()
        expect(statuses == ["0"] * self.count * self.each,
               f"statuses {statuses} of {told}")
        return done.stdout

    def start(self, *words):
        """Starts a command, for something to befall it."""
        return subprocess.Popen(
            [HERE / "run-hosts", str(self.each), "20", self.dtx, *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)

    def make(self, tensors, target):
        """Writes a checkpoint of shards along the first dimension, and the
        layouts from it to as many ranks, "shard(1)" or "replicate"."""
        count = self.count * self.each
        (self.folder / "src.yaml").write_text(
            LAYOUT % (count, "src", "x: shard(0)"))
        (self.folder / "dst.yaml").write_text(
            LAYOUT % (count, "dst", f"x: {target}"))
        for rank in range(count):
            write_file(self.folder / f"src/{rank}.h5",
                       {name: np.split(value, count)[rank]
                        for name, value in tensors.items()})

    def check(self, tensors, target, how):
        """The target's files must hold what belongs there."""
        count = self.count * self.each
        for rank in range(count):
            got = read_file(self.folder / f"dst/{rank}.h5")
            for name, value in tensors.items():
                want = (value if target == "replicate"
                        else np.split(value, count, axis=1)[rank])
                expect(alike(got[name], want), f"{name} of {rank}: {how}")


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.02)


def kill(pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
