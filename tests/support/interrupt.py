"""Runs of dtx that are interrupted on purpose."""
import itertools
import os
import pathlib
import re
import signal
import subprocess
import time

from steps import MPIRUN, expect, run

MARK = "RUN_UNDER_TEST"


class Running:
    """A run of `dtx reshard` under mpirun, in a session of its own."""

    numbers = itertools.count()

    def __init__(self, dtx, folder, words, processes=1, environment=()):
        self.dtx = pathlib.Path(dtx).resolve()
        self.words, self.processes = [str(word) for word in words], processes
        self.began = time.monotonic()
        mark = f"{MARK}={os.getpid()}.{next(self.numbers)}"
        self.mark = mark.encode()
        self.process = subprocess.Popen(
            [MPIRUN, "-n", str(processes), self.dtx, "reshard", *self.words],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
            env={**os.environ, "HWLOC_COMPONENTS": "-pci",
                 MARK: mark.split("=")[1], **dict(environment)})

    def pids(self):
        """Of the processes of dtx, without their guards."""
        return [pid for pid in self.all_pids() if not self._is_guard(pid)]

    def guards(self):
        return [pid for pid in self.all_pids() if self._is_guard(pid)]

    @staticmethod
    def _is_guard(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/comm").read_text() == \
                "dtx-guard\n"
        except OSError:
            return False

    def all_pids(self):
        """Of the processes of dtx itself."""
        return [pid for pid in self._marked() if self._is_dtx(pid)]

    def _is_dtx(self, pid):
        try:
            return pathlib.Path(os.readlink(f"/proc/{pid}/exe")) == self.dtx
        except OSError:
            return False

    def _marked(self):
        """All processes that this run has made, mpirun and its own included.
        They carry a mark in their environment, because they are in other
        sessions, and below nobody once mpirun has died."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return sorted(found)

    def send(self, number, pids):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def signal(self, number):
        """As a user or a scheduler sends it: to mpirun, which passes it on."""
        self.send(number, [self.process.pid])

    def hears(self, number):
        """True once all processes catch a signal, or the run has ended. One
        that ends before MPI_Init leaves the others, and mpirun, waiting."""
        heard = 0
        for pid in self.pids():
            try:
                text = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            caught = int(re.search(r"SigCgt:\s*(\w+)", text).group(1), 16)
            heard += caught >> (number - 1) & 1
        return heard == self.processes or self.process.poll() is not None

    def kill_one(self, random):
        """A process, or its guard."""
        pids = self.all_pids()
        self.send(signal.SIGKILL, [random.choice(pids)] if pids else [])

    def kill_all(self):
        """Until there is none, because they make others meanwhile."""
        while pids := self._marked():
            self.send(signal.SIGKILL, pids)
            self.process.poll()

    def kill_all_but_guards(self):
        guards = set(self.guards())
        while pids := set(self._marked()) - guards:
            self.send(signal.SIGKILL, pids)
            self.process.poll()

    def wait(self, seconds=60):
        """Waits for the end; returns the status of mpirun and what was said."""
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill_all()
            out, err = self.process.communicate()
            expect(False, f"dtx reshard {' '.join(self.words)} on "
                          f"{self.processes} processes hung\n{out}{err}")
        deadline = time.monotonic() + 10
        while self._marked():
            expect(time.monotonic() < deadline, "processes outlive mpirun")
            time.sleep(0.01)
        return self.process.returncode, out + err


class Checkpoint:
    """A generated checkpoint in a folder: src.yaml there, to become dst.yaml.

    Both are of configs/, at a scale that suits a test.
    """

    def __init__(self, tool, top, folder, names, scale):
        self.tool, self.folder = tool, folder
        table, *layouts = names
        for name, role in zip(layouts, ("src", "dst")):
            run(tool, "layout", top / "configs" / name, "--root", folder,
                "--scale", scale)
            (folder / pathlib.Path(name).name).rename(folder / f"{role}.yaml")
        self.table = folder / table
        run(tool, "write", self.table, folder / "src.yaml")
        text = (folder / "dst.yaml").read_text()
        path = re.search(r"path:\s*\"?([^\"\n{]*)/", text).group(1)
        self.target = folder / path

    def check(self):
        """Compares every element of the target; returns the bytes."""
        said = run(self.tool, "check", self.table, self.folder / "dst.yaml")
        left = [path for path in self.target.iterdir()
                if path.suffix in (".dtx-part", ".journal", ".tmp")]
        expect(not left, f"left behind: {left}")
        return sum(path.stat().st_size for path in self.target.glob("*.h5")), \
            said

    def journal(self):
        return self.target / "manifest.journal"

    def manifest(self):
        return self.target / "manifest.yaml"

    def safe(self):
        """How many tensors the journal says are safe; None: no journal."""
        try:
            lines = self.journal().read_text().splitlines()
        except FileNotFoundError:
            return None
        return max([int(line.split()[1]) for line in lines
                    if line.startswith("safe ")], default=0)
