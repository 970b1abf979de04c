"""Steps that tests of whole programs share."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
# Where several MPIs are installed, mpirun may be another's.
MPIRUN = shutil.which("mpirun.mpich") or "mpirun"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def fail(what):
    sys.exit(f"FAILED: {what}")


def expect(condition, what):
    if not condition:
        fail(what)


def run(*command, status=0):
    """Runs a command; returns its standard output. Fails unless it ends with
    the status."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != status:
        fail(f"{' '.join(command)}\nended with {done.returncode}, not {status}"
             f"\n{done.stdout}{done.stderr}")
    return done.stdout


@contextlib.contextmanager
def scratch(where=None):
    """A folder that is gone afterwards; in another one, if that is there."""
    is_there = where is not None and os.access(where, os.W_OK)
    folder = pathlib.Path(tempfile.mkdtemp(
        prefix="dtx-test-", dir=where if is_there else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
