"""dtx as a user runs it, under mpirun, in a folder of its own."""
import pathlib
import re
import subprocess

from checkpoints import alike, read_file, write_file
from steps import expect

SUPPORT = pathlib.Path(__file__).resolve().parent
STRATEGIES = ["optimal", "direct", "redistribute", "materialize", "auto"]

# Each error that the program draws or prints begins a line with this.
ERROR = re.compile(r"^(?:dtx: )?error\b", re.MULTILINE)


class Program:
    """Runs dtx in a folder that holds src.yaml, dst.yaml and their files.

    around  words before mpirun
    each    words before dtx, on every process
    seconds after which a run is taken to hang
    """

    def __init__(self, dtx, folder, around=(), each=(), seconds=30):
        self.dtx, self.folder = pathlib.Path(dtx).resolve(), folder
        self.around, self.each = around, each
        self.seconds = seconds

    def layout(self, name, text):
        (self.folder / f"{name}.yaml").write_text(text)

    def layouts(self, source, target):
        self.layout("src", source)
        self.layout("dst", target)

    def write(self, path, tensors):
        write_file(self.folder / path, tensors)

    def read(self, path):
        return read_file(self.folder / path)

    def run(self, *words, processes=1, status=0, errors=1):
        """Runs a command on processes that must all end with the status, soon,
        and where it is a failure with one message, or one for each mistake in
        a layout. Returns what it said."""
        notes = self.folder / "statuses"
        notes.write_text("")
        notes.chmod(0o666)  # mpirun may be another user's
        done = subprocess.run(
            [*self.around, SUPPORT / "run-mpi", str(processes),
             str(self.seconds), SUPPORT / "keep-status", notes, *self.each,
             self.dtx, *[str(word) for word in words]],
            cwd=self.folder, capture_output=True, text=True, check=False)
        told = (f"dtx {' '.join(map(str, words))} on {processes} processes "
                f"ended with {done.returncode}\n{done.stdout}{done.stderr}")
        expect(done.returncode != 124, f"{told}\nit hung")
        statuses = notes.read_text().split()
        expect(statuses == [str(status)] * processes,
               f"{told}\nstatuses {statuses}, not {status} of each")
        told_errors = len(ERROR.findall(done.stderr))
        expect(told_errors == (errors if status else 0),
               f"{told}\n{told_errors} errors")
        return done

    def reshard(self, *options, processes=1, status=0):
        return self.run("reshard", "src.yaml", "dst.yaml", "--force", *options,
                        processes=processes, status=status)

    def everything(self):
        """{path: bytes, or what a link points to} of all files here."""
        return {str(path.relative_to(self.folder)):
                path.readlink() if path.is_symlink() else path.read_bytes()
                for path in self.folder.rglob("*")
                if (path.is_symlink() or path.is_file()) and
                path.name != "statuses"}

    def folders(self):
        return {str(path.relative_to(self.folder))
                for path in self.folder.rglob("*") if path.is_dir()}

    def fails(self, status, *named, processes=2, options=(), errors=1):
        """A resharding must fail with a status, name these things, and leave
        every file as it was, and no other file or folder."""
        before, folders = self.everything(), self.folders()
        done = self.run("reshard", "src.yaml", "dst.yaml", *options,
                        processes=processes, status=status, errors=errors)
        for part in named:
            expect(part in done.stderr, f"no '{part}' in\n{done.stderr}")
        after = self.everything()
        changed = sorted(path for path in {*before, *after}
                         if before.get(path) != after.get(path))
        expect(not changed, f"{changed} changed, with\n{done.stderr}")
        left = sorted(self.folders() - folders)
        expect(not left, f"{left} were left, with\n{done.stderr}")
        return done.stderr

    def gives(self, want, processes=(1, 3)):
        """Every strategy and every number of processes, in turn, give these
        files, {path: {name: array}}, with nothing else in them."""
        for i in range(max(len(STRATEGIES), len(processes))):
            strategy = STRATEGIES[i % len(STRATEGIES)]
            count = processes[i % len(processes)]
            self.reshard("--strategy", strategy, processes=count)
            self.holds(want, f"{strategy} on {count} processes")

    def holds(self, want, how=""):
        for path, tensors in want.items():
            got = self.read(path)
            expect(set(got) == set(tensors),
                   f"{how}: {path} holds {sorted(got)}, not {sorted(tensors)}")
            for name, value in tensors.items():
                expect(alike(got[name], value),
                       f"{how}: {name} in {path} is\n{got[name]!r}\nnot\n"
                       f"{value!r}")
