#!/usr/bin/python3
"""Files as h5py writes them, copied through the storage and read by h5py again.

    h5py_files.py COPY-PROGRAM
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(77)

COPY = sys.argv[1]
rng = np.random.default_rng(7)


def float_type(fields, size, bias):
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(*fields)
    kind.set_size(size)
    kind.set_ebias(bias)
    return kind


BFLOAT16 = float_type((15, 7, 8, 0, 7), 2, 127)
E5M2 = float_type((7, 2, 5, 0, 2), 1, 15)
E4M3 = float_type((7, 3, 4, 0, 3), 1, 7)


def raw_dataset(file, name, kind, array):
    """A dataset of a type that numpy hasn't, from the bits of its elements."""
    space = h5py.h5s.create_simple(array.shape)
    dataset = h5py.h5d.create(file.id, name.encode(), kind, space)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array), mtype=kind)
    return h5py.Dataset(dataset)


def bits(dataset):
    """The elements as HDF5 stores them, whatever their type."""
    kind = dataset.id.get_type()
    out = np.zeros(dataset.shape, f"V{kind.get_size()}")
    if out.size:
        dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, out, mtype=kind)
    return out.tobytes()


def copy(source, target, *form, **how):
    done = subprocess.run([COPY, source, target, *form], capture_output=True, text=True, errors="replace", timeout=60, **how)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return done.returncode, done.stderr.strip(), {r[0]: r[1:] for r in rows}


def expect(truth, what):
    if not truth:
        raise AssertionError(what)


def refuses(source, *words):
    status, message, _ = copy(source, str(source) + ".copy")
    expect(status == 3, f"{source.name}: status {status}")
    for word in (*words, source.name):
        expect(word in message, f"{source.name}: '{word}' isn't in: {message}")


def numpy_types(folder):
    names = "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 c8 c16 ?".split()
    long = "float64 float32 float16 int64 int32 int16 int8 uint64 uint32 uint16 uint8 complex64 complex128 bool".split()
    arrays = {}
    with h5py.File(folder / "numpy.h5", "w") as f:
        for name in names:
            array = rng.integers(0, 256, (5, 7, np.dtype(name).itemsize), np.uint8)
            array = (array % 2).astype(bool)[..., 0] if name == "?" else array.view(name)[..., 0]
            for order in "<>":
                wanted = array.astype(array.dtype.newbyteorder(order))
                if name == "?" and order == ">":
                    continue
                path = f"group/{order}/{name}"
                f[path] = wanted
                f.create_dataset(path + "-gzip", data=wanted, chunks=(2, 3), compression="gzip", shuffle=True)
                arrays[path] = arrays[path + "-gzip"] = array
    status, message, rows = copy(folder / "numpy.h5", folder / "numpy-2.h5")
    expect(status == 0, message)
    expect(set(rows) == set(arrays), rows.keys())
    with h5py.File(folder / "numpy-2.h5") as f:
        for path, array in arrays.items():
            kind = long[names.index(path.split("/")[2].split("-")[0])]
            form = "stored" if "gzip" in path else "contiguous"
            order = "big" if ">" in path and array.dtype.itemsize > 1 else "little"
            expect(rows[path] == [kind, "[5, 7]", form, order, ""], f"{path}: {rows[path]}")
            got = f[path]
            expect(got.dtype == array.dtype and got.dtype.isnative, f"{path}: {got.dtype}")
            expect(got[...].tobytes() == array.tobytes(), path)


def machine_learning_types(folder):
    wide = np.array([[0x3F80, 0xFF80, 0x7FC1, 0x0001]], "<u2")
    narrow = np.arange(256, dtype="u1").reshape(16, 16)
    with h5py.File(folder / "ml.h5", "w") as f:
        raw_dataset(f, "bf", BFLOAT16, wide)
        f["bf-uint"] = wide
        f["bf-uint-be"] = wide.astype(">u2")
        raw_dataset(f, "bf-opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 2), wide)
        for name, kind in ("e5m2", E5M2), ("e4m3fn", E4M3):
            raw_dataset(f, name, kind, narrow)
            f[name + "-uint"] = narrow
            raw_dataset(f, name + "-opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 1), narrow)
        for name in f:
            if "-" in name:
                f[name].attrs["dtype"] = "bfloat16" if name[:2] == "bf" else "float8_" + name.split("-")[0]
        f["e5m2-uint"].attrs["dtype"] = np.bytes_("f8_e5m2")
        f["e4m3fn-uint"].attrs["scale"] = 2.5
        f["plain"] = narrow
        f["plain"].attrs["dtype"] = "bfloat16"  # of another size: says nothing
        names = list(f)
    status, message, rows = copy(folder / "ml.h5", folder / "ml-2.h5")
    expect(status == 0, message)
    with h5py.File(folder / "ml-2.h5") as f:
        for name in names:
            kind = {"b": "bfloat16", "p": "uint8"}.get(name[0], "float8_" + name.split("-")[0])
            want = wide if name[0] == "b" else narrow
            expect(rows[name][0] == kind, f"{name}: {rows[name]}")
            expect(bits(f[name]) == want.tobytes(), name)
            if "e4m3" in name:
                expect(f[name].dtype == np.uint8 and f[name].attrs["dtype"] == "float8_e4m3fn", name)
            elif name != "plain":
                expect(f[name].dtype.kind == "f" and "dtype" not in f[name].attrs, name)
        expect(f["e4m3fn-uint"].attrs["scale"] == 2.5, "attribute beside the mark")
        expect(f["plain"].attrs["dtype"] == "bfloat16", "attribute that is no mark")
        expect(f["bf"][0, 0] == 1.0 and np.isneginf(f["bf"][0, 1]), "HDF5 reads bfloat16")
    for name, kind, size in (("bias", float_type((15, 7, 8, 0, 7), 2, 15), 2), ("fnuz", float_type((7, 2, 5, 0, 2), 1, 16), 1)):
        with h5py.File(folder / f"{name}.h5", "w") as f:
            raw_dataset(f, "x", kind, np.zeros(4, f"u{size}"))
        refuses(folder / f"{name}.h5", "bias", "bfloat16" if size == 2 else "float8_e5m2")


def types_that_stay_raw(folder):
    compound = np.zeros(6, [("a", "<i4"), ("b", ">f8"), ("c", "S3")])
    compound["a"], compound["b"], compound["c"] = range(6), rng.random(6), b"xyz"
    color = h5py.enum_dtype({"red": 1, "blue": 7}, "i2")
    with h5py.File(folder / "raw.h5", "w") as f:
        f["compound"] = compound
        f.create_dataset("enum", data=np.array([1, 7, 7], "i2"), dtype=color)
        f["string"] = np.array([b"ab", b"cde"], "S4")
        raw_dataset(f, "opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 5), np.array([b"12345", b"6789a"], "V5"))
        f.create_dataset("array", (3,), np.dtype(("<f4", (2, 2))))[...] = np.arange(12, dtype="<f4").reshape(3, 2, 2)
        raw_dataset(f, "bits", h5py.h5t.STD_B16LE, np.array([1, 2, 3], "<u2"))
        raw_dataset(f, "f16-bias", float_type((15, 10, 5, 0, 10), 2, 20), np.array([1, 2, 3], "<u2"))
        f["named"] = np.dtype("f8")
    status, message, rows = copy(folder / "raw.h5", folder / "raw-2.h5")
    expect(status == 0, message)
    expect(rows["compound"][0] == "compound of 15 bytes {a: int32, b: float64 (big-endian), c: string of 3 bytes}", rows["compound"])
    expect("named" not in rows, "a named type is no dataset")
    with h5py.File(folder / "raw.h5") as a, h5py.File(folder / "raw-2.h5") as b:
        for name in rows:
            expect(a[name].id.get_type().equal(b[name].id.get_type()), name)
            expect(bits(a[name]) == bits(b[name]), name)


def shapes(folder):
    with h5py.File(folder / "shapes.h5", "w") as f:
        f["scalar"] = np.float32(1.5)
        f["empty"] = np.zeros((0, 4), "f4")
        f["empty-middle"] = np.zeros((3, 0, 2), "i8")
        f["ones"] = np.ones((1, 1, 1), "u1")
        f["deep"] = np.arange(2**10, dtype="u2").reshape((2,) * 10)
        f.create_dataset("never", (3, 5), "f4", fillvalue=7)
        f.create_dataset("never-chunked", (30, 5), "f4", fillvalue=3, chunks=(4, 4))
        f["compact"] = np.arange(4)
        space, plist = h5py.h5s.create_simple((4,)), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        kind = h5py.h5t.STD_I32LE
        small = h5py.h5d.create(f.id, b"small", kind, space, plist)
        small.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(4, dtype="<i4"))
        f.create_dataset("resizable", data=np.arange(40.0).reshape(8, 5), maxshape=(None, 5))
    for form in [], ["gzip"], ["4", "3"], ["2"], ["7", "2", "2", "2"]:
        target = folder / ("shapes-" + "-".join(form) + ".h5")
        status, message, rows = copy(folder / "shapes.h5", target, *form)
        expect(status == 0, message)
        expect(rows["empty"][2] == "empty" and rows["never"][2] == "stored", rows)
        with h5py.File(folder / "shapes.h5") as a, h5py.File(target) as b:
            expect(set(a) == set(b), list(b))
            for name in a:
                expect(a[name].shape == b[name].shape, name)
                expect(np.array_equal(a[name][...], b[name][...]), f"{name} {form}")
            expect((b["deep"].chunks is not None) == bool(form), "chunks")
            expect((b["deep"].compression == "gzip") == (form == ["gzip"]), "compression")
            expect(b["deep"].id.get_offset() is None or not form, "offset")


def attributes_and_objects(folder):
    with h5py.File(folder / "attrs.h5", "w", libver="latest") as f:
        f.attrs["title"] = "näme"
        f.attrs["large"] = np.arange(100000.0)
        f.attrs["nothing"] = h5py.Empty("f4")
        f["a/b/x"] = np.arange(6.0)
        f["a/b/x"].attrs["strings"] = ["one", "two", "drei"]
        f["a/b/x"].attrs["bytes"] = np.bytes_("abc")
        f["a/b/x"].attrs["matrix"] = np.arange(6, dtype=">i4").reshape(2, 3)
        f["a/b/x"].attrs["flag"] = True
        f["a/b/x"].attrs["ragged"] = np.array([np.arange(3), np.arange(2)], h5py.vlen_dtype("i4"))
        f["a/b/x"].attrs["reference"] = f["a"].ref
        f["a/b"].attrs["step"] = 1000
        f.create_group("hollow").attrs["only"] = "attributes"
        f["a/text"] = "a text of variable length"
        f["a/text"].attrs["language"] = "en"
        f["ragged"] = np.array([np.arange(3), np.arange(2)], h5py.vlen_dtype("i4"))
        f["null"] = h5py.Empty("f4")
        f["references"] = np.array([f["a"].ref], h5py.ref_dtype)
    status, message, rows = copy(folder / "attrs.h5", folder / "attrs-2.h5")
    expect(status == 0, message)
    for name in "a/text", "ragged", "null", "references":
        expect(rows[name][2] == "object", rows[name])
    expect(rows["a/b/x"][4] == "bytes,flag,matrix,ragged,strings", rows["a/b/x"])
    with h5py.File(folder / "attrs-2.h5") as f:
        expect(f.attrs["title"] == "näme" and f["a/b"].attrs["step"] == 1000, "scalars")
        expect(np.array_equal(f.attrs["large"], np.arange(100000.0)), "a large attribute")
        expect(isinstance(f.attrs["nothing"], h5py.Empty), "an attribute without value")
        attrs = f["a/b/x"].attrs
        expect(list(attrs["strings"]) == ["one", "two", "drei"], "strings")
        expect(attrs["bytes"] == b"abc" and attrs["flag"], "bytes")
        expect(attrs["matrix"].dtype == ">i4" and attrs["matrix"][1, 2] == 5, "matrix")
        expect([list(r) for r in attrs["ragged"]] == [[0, 1, 2], [0, 1]], "ragged")
        expect("reference" not in attrs, "a reference is left out")
        expect(f["hollow"].attrs["only"] == "attributes", "a group without datasets")
        expect(f["a/text"].asstr()[()] == "a text of variable length", "an object")
        expect(f["a/text"].attrs["language"] == "en", "an object's attribute")
        expect(list(f["ragged"][1]) == [0, 1] and f["null"].shape is None, "objects")


def links(folder):
    with h5py.File(folder / "other.h5", "w") as f:
        f["deep/y"] = np.arange(5)
    with h5py.File(folder / "links.h5", "w") as f:
        f["g/x"] = np.arange(4)
        f["hard"] = f["g/x"]
        f["soft"] = h5py.SoftLink("/g/x")
        f["soft-group"] = h5py.SoftLink("/g")
        f["g/self"] = f["g"]
        f["g/up"] = h5py.SoftLink("/")
        f["far"] = h5py.ExternalLink("other.h5", "/deep/y")
        f["far-group"] = h5py.ExternalLink("other.h5", "/deep")
    status, message, rows = copy(folder / "links.h5", folder / "links-2.h5")
    expect(status == 0, message)
    expect(set(rows) == {"g/x", "hard", "soft", "soft-group/x", "far", "far-group/y"}, rows.keys())
    expect(rows["soft"][2] == "contiguous" and rows["far"][2] == "stored", rows)
    with h5py.File(folder / "links-2.h5") as f:
        expect(np.array_equal(f["soft-group/x"], np.arange(4)), "soft")
        expect(np.array_equal(f["far"], np.arange(5)) and np.array_equal(f["far-group/y"], np.arange(5)), "external")
    with h5py.File(folder / "dangling.h5", "w") as f:
        f["lost"] = h5py.SoftLink("/nowhere")
    refuses(folder / "dangling.h5", "soft link 'lost'", "leads nowhere")
    with h5py.File(folder / "gone.h5", "w") as f:
        f["lost"] = h5py.ExternalLink("gone-source.h5", "/x")
    refuses(folder / "gone.h5", "external link 'lost'")
    with h5py.File(folder / "doubled.h5", "w") as f:
        group = f
        for _ in range(40):
            below = group.create_group("a")
            group["b"] = below
            group = below
    refuses(folder / "doubled.h5", "too many links")
    with h5py.File(folder / "nested.h5", "w") as f:
        group = f
        for _ in range(1100):
            group = group.create_group("g")
    refuses(folder / "nested.h5", "nested")
    with h5py.File(folder / "deep.h5", "w") as f:
        f.create_group("g" * 60000).create_group("g" * 60000)
    refuses(folder / "deep.h5", "nested", "65536 bytes")
    with h5py.File(folder / "long.h5", "w") as f:
        group = f.create_group("g" * 60000)
        group["0"] = 1.0
        for i in range(1, 6000):
            group[f"{i}"] = group["0"]
    refuses(folder / "long.h5", "far longer")


def virtual_datasets(folder):
    (folder / "v").mkdir()
    for i in range(3):
        with h5py.File(folder / f"v/part-{i}.h5", "w") as f:
            f["data"] = np.arange(10 * i, 10 * i + 10)
    layout = h5py.VirtualLayout((3, 10), "i8")
    for i in range(3):
        layout[i] = h5py.VirtualSource(f"part-{i}.h5", "data", (10,))
    with h5py.File(folder / "v/all.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("whole", layout, fillvalue=-1)
        inner = h5py.VirtualLayout((10,), "i8")
        inner[:] = h5py.VirtualSource(".", "whole", (3, 10))[1]
        f.create_virtual_dataset("row", inner)
    status, message, rows = copy(folder / "v/all.h5", folder / "v-2.h5")
    expect(status == 0, message)
    with h5py.File(folder / "v-2.h5") as f:
        expect(np.array_equal(f["whole"], np.arange(30).reshape(3, 10)), "virtual")
        expect(np.array_equal(f["row"], np.arange(10, 20)), "virtual in the same file")
    (folder / "v/part-1.h5").rename(folder / "v/away.h5")
    refuses(folder / "v/all.h5", "virtual dataset", "part-1.h5", "no such file")
    with h5py.File(folder / "v/part-1.h5", "w") as f:
        f["other"] = 1
    refuses(folder / "v/all.h5", "part-1.h5", "no dataset 'data'")
    with h5py.File(folder / "v/part-1.h5", "w") as f:
        f["data"] = np.arange(4)
    refuses(folder / "v/all.h5", "part-1.h5", "more")
    (folder / "v/part-1.h5").write_bytes((folder / "v/away.h5").read_bytes()[:-1])
    refuses(folder / "v/all.h5", "part-1.h5", "truncated")
    (folder / "v/part-1.h5").unlink()
    (folder / "v/away.h5").rename(folder / "v/part-1.h5")
    ring = h5py.VirtualLayout((10,), "i8")
    ring[:] = h5py.VirtualSource(".", "ring", (10,))
    with h5py.File(folder / "v/ring.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("ring", ring)
    refuses(folder / "v/ring.h5", "maps itself")


def virtual_texts(folder):
    """A copy of such a dataset would be as empty as its sources are far."""
    with h5py.File(folder / "texts.h5", "w") as f:
        f.create_dataset("x", data=["one", "two"], dtype=h5py.string_dtype())
    layout = h5py.VirtualLayout((2,), h5py.string_dtype())
    layout[:] = h5py.VirtualSource("texts.h5", "x", (2,))
    with h5py.File(folder / "view.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout)
    refuses(folder / "view.h5", "'v'", "other files")


def external_storage(folder):
    raw = folder / "raw.bin"
    raw.write_bytes(np.arange(8, dtype="<i4").tobytes())
    with h5py.File(folder / "external.h5", "w") as f:
        f.create_dataset("x", (6,), "<i4", external=[(str(raw), 8, 24)])
    status, message, _ = copy(folder / "external.h5", folder / "external-2.h5")
    expect(status == 0, message)
    with h5py.File(folder / "external-2.h5") as f:
        expect(list(f["x"]) == [2, 3, 4, 5, 6, 7], "external storage")
    raw.write_bytes(bytes(20))
    refuses(folder / "external.h5", "raw.bin", "ends at byte 20")
    raw.unlink()
    refuses(folder / "external.h5", "raw.bin", "no file")


def pipes(folder):
    """Where a file leads to a pipe, nobody waits for what comes through it."""
    for name in "pipe.h5", "piped-0.h5":
        os.mkfifo(folder / name)
    with h5py.File(folder / "to-pipe.h5", "w") as f:
        f["x"] = h5py.ExternalLink("pipe.h5", "/x")
    refuses(folder / "to-pipe.h5", "external link 'x'", "pipe.h5")
    layout = h5py.VirtualLayout((4,), "<f4")
    layout[:] = h5py.VirtualSource("pipe.h5", "x", (4,))
    with h5py.File(folder / "of-pipe.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("x", layout)
    refuses(folder / "of-pipe.h5", "virtual dataset", "pipe.h5", "no regular file")
    endless = h5py.h5s.create_simple((4,), (h5py.h5s.UNLIMITED,))
    blocks = endless.copy()
    blocks.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (4,), (4,))
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_virtual(blocks, b"piped-%b.h5", b"x", h5py.h5s.create_simple((4,)))
    with h5py.File(folder / "of-pipes.h5", "w", libver="latest") as f:
        h5py.h5d.create(f.id, b"x", h5py.h5t.IEEE_F32LE, endless, properties)
    copy(folder / "of-pipes.h5", folder / "of-pipes-2.h5")
    with h5py.File(folder / "raw-pipe.h5", "w") as f:
        f.create_dataset("x", (6,), "<i4", external=[(str(folder / "pipe.h5"), 0, 24)])
    refuses(folder / "raw-pipe.h5", "pipe.h5", "no file")


def filters(folder):
    with h5py.File(folder / "lzf.h5", "w") as f:
        f.create_dataset("x", data=np.zeros((100, 100)), compression="lzf")
    refuses(folder / "lzf.h5", "filter", "lzf")


def damage(folder):
    with h5py.File(folder / "whole.h5", "w") as f:
        f["w"] = rng.random((40, 50))
        f.create_dataset("z", data=rng.random((40, 50)), compression="gzip")
    whole = (folder / "whole.h5").read_bytes()
    for length in 1, 7, 8, 95, 96, 500, len(whole) // 2, len(whole) - 1:
        (folder / "cut.h5").write_bytes(whole[:length])
        refuses(folder / "cut.h5", "cannot")
    # The newest format has checksums; without them HDF5 1.10 itself can crash.
    with h5py.File(folder / "sums.h5", "w", libver="latest") as f:
        f["w"] = rng.random((40, 50))
        f["w"].attrs["text"] = "of variable length"
        f.create_dataset("z", data=rng.random((40, 50)), compression="gzip")
    whole = (folder / "sums.h5").read_bytes()
    for _ in range(100):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 5):
            damaged[place] = rng.integers(0, 256)
        (folder / "damaged.h5").write_bytes(damaged)
        # HDF5 doesn't free all of what it couldn't read.
        status, message, _ = copy(folder / "damaged.h5", folder / "damaged-2.h5",
                                  env={**os.environ, "LSAN_OPTIONS": "detect_leaks=0"})
        expect(status in (0, 3), f"status {status}: {message}")


def main():
    cases = [numpy_types, machine_learning_types, types_that_stay_raw, shapes, attributes_and_objects, links,
             virtual_datasets, virtual_texts, external_storage, pipes, filters, damage]
    wrong = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(Path(folder))
            except AssertionError as error:
                print(f"{case.__name__}: {error}", file=sys.stderr)
                wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
