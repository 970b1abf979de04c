"""Checkpoints for tests: their HDF5 files, and what each shard must hold.

Types that numpy doesn't have are kept as bit patterns: Stored(bits, type).
"""
import collections

import h5py
import numpy as np

# An array of bit patterns, their HDF5 type, and attributes.
Stored = collections.namedtuple("Stored", "bits type attributes",
                                defaults=[{}])


def float16_type(exponent_bits, bias):
    """A two-byte HDF5 float: sign, exponent, and the rest mantissa."""
    fields = h5py.h5t.IEEE_F32LE.copy()
    mantissa = 15 - exponent_bits
    fields.set_fields(15, mantissa, exponent_bits, 0, mantissa)
    fields.set_size(2)
    fields.set_ebias(bias)
    return fields


def bfloat16(bits):
    """bfloat16 as dtx stores it, from its bit patterns."""
    return Stored(np.asarray(bits, np.uint16), float16_type(8, 127))


def round_to_bfloat16(array):
    """The bits nearest to float32 values, ties to even; no NaN here."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded >> 16).astype(np.uint16)


def counted(shape, dtype=np.float32, first=0):
    """Each element holds its row-major index."""
    count = int(np.prod(shape, dtype=np.int64))
    return (np.arange(count) + first).astype(dtype).reshape(shape)


def _write(file, name, value):
    if not isinstance(value, Stored):
        file[name] = value
        return
    space = (h5py.h5s.create_simple(value.bits.shape) if value.bits.ndim
             else h5py.h5s.create(h5py.h5s.SCALAR))
    groups = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    groups.set_create_intermediate_group(True)
    dataset = h5py.h5d.create(file.id, name.encode(), value.type, space,
                              lcpl=groups)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, value.bits, mtype=value.type)
    file[name].attrs.update(value.attributes)


def write_file(path, tensors):
    """Writes {name: array or Stored} as one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        for name, value in tensors.items():
            _write(file, name, value)


def _read(dataset):
    """The elements; those of floats that numpy lacks as bit patterns."""
    stored = dataset.id.get_type()
    if stored.get_class() == h5py.h5t.FLOAT and stored == float16_type(8, 127):
        bits = np.empty(dataset.shape, np.uint16)
        dataset.id.read(h5py.h5s.ALL, h5py.h5s.ALL, bits, mtype=stored)
        return bits
    return dataset[()]


def read_file(path):
    """{name: array} of all datasets in a file."""
    tensors = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: tensors.update(
            {name: _read(item)} if isinstance(item, h5py.Dataset) else {}))
    return tensors


def alike(got, want):
    """Same type, shape and bits."""
    got, want = np.asarray(got), np.asarray(want)
    return (got.dtype == want.dtype and got.shape == want.shape and
            got.tobytes() == want.tobytes())
