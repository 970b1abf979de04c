#include <criterion/criterion.h>
#include <hdf5.h>
#include <string.h>

#include "store.h"

/* All known dtypes in one file: made, filled, and scanned again. */
Test(types, every_dtype_comes_back_as_it_was_written)
{
    struct dtx_target_file *file;
    unsigned char data[6 * 16];
    unsigned char got[6 * 16];
    static const int64_t shape[2] = {2, 3};
    static const int64_t zeros[2];
    struct store s;
    int i;

    cr_assert(store_begin(&s));
    for (i = 0; i < (int)sizeof data; i++) {
        data[i] = (unsigned char)(i * 37);
    }
    file = store_target(&s, "all.h5", DTX_DTYPE_COUNT - 1);
    for (i = 1; i < DTX_DTYPE_COUNT; i++) {
        store_set(file, i - 1, dtx_dtype_name((enum dtx_dtype)i),
                  dtx_type_of((enum dtx_dtype)i), 2, shape);
    }
    cr_assert_eq(s.storage->ops->create(s.storage, file, &s.err), DTX_OK, "%s",
                 s.err.message);
    for (i = 0; i < file->dataset_count; i++) {
        cr_assert_neq(file->datasets[i].offset, 0);
        cr_assert_eq(s.storage->ops->write(s.storage, file, i, zeros, shape,
                                           data, &s.err),
                     DTX_OK);
    }
    cr_assert_eq(s.storage->ops->close(s.storage, file, &s.err), DTX_OK);
    cr_assert_eq(store_scan(&s, file->temporary), DTX_OK, "%s", s.err.message);
    cr_assert_eq(s.catalog->dataset_count, DTX_DTYPE_COUNT - 1);
    for (i = 1; i < DTX_DTYPE_COUNT; i++) {
        const char *name = dtx_dtype_name((enum dtx_dtype)i);
        const struct dtx_dataset *d = store_find(&s, name);

        cr_assert_eq(d->type.dtype, i, "%s", name);
        cr_assert_eq(d->form, DTX_FORM_CONTIGUOUS);
        cr_assert_eq(d->offset, file->datasets[i - 1].offset);
        cr_assert_eq(d->attribute_count, 0, "a mark is no attribute");
        cr_assert_eq(store_read(&s, name, NULL, NULL, got), DTX_OK);
        cr_assert_arr_eq(got, data, 6 * d->type.size_bytes, "%s", name);
    }
    store_finish(&s);
}

/* Writes one dataset [4] of a type from 4 elements as the file has them. */
static void
write_source(const char *path, hid_t type, const void *data)
{
    hsize_t four = 4;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &four, NULL);
    hid_t dataset = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);

    cr_assert_geq(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
                  0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
}

Test(types, big_endian_values_are_swapped_in_their_units)
{
    static const unsigned char data[32] = {
        1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
    hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
    unsigned char got[32];
    struct store s;

    H5Tinsert(pair, "r", 0, H5T_IEEE_F32BE);
    H5Tinsert(pair, "i", 4, H5T_IEEE_F32BE);
    cr_assert(store_begin(&s));
    write_source(store_path(&s, "pair.h5"), pair, data);
    cr_assert_eq(store_scan(&s, store_path(&s, "pair.h5")), DTX_OK);
    cr_assert_eq(store_find(&s, "x")->type.dtype, DTX_COMPLEX64);
    cr_assert(store_find(&s, "x")->is_big_endian);
    cr_assert_eq(store_read(&s, "x", NULL, NULL, got), DTX_OK);
    cr_assert_arr_eq(got, ((unsigned char[]){4, 3, 2, 1, 8, 7, 6, 5, 12}), 9);
    write_source(store_path(&s, "eight.h5"), H5T_STD_I64BE, data);
    cr_assert_eq(store_scan(&s, store_path(&s, "eight.h5")), DTX_OK);
    cr_assert_eq(store_read(&s, "x", NULL, NULL, got), DTX_OK);
    cr_assert_arr_eq(got, ((unsigned char[]){8, 7, 6, 5, 4, 3, 2, 1, 16}), 9);
    write_source(store_path(&s, "one.h5"), H5T_STD_U8BE, data);
    cr_assert_eq(store_scan(&s, store_path(&s, "one.h5")), DTX_OK);
    cr_assert_not(store_find(&s, "x")->is_big_endian);
    store_finish(&s);
}

static hid_t
bfloat16_type(size_t bias)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);

    H5Tset_fields(type, 15, 7, 8, 0, 7);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, bias);
    return type;
}

Test(types, a_float_with_bfloat16s_fields_and_another_bias_is_refused)
{
    static const uint16_t data[4] = {0x3f80, 0xff80, 0x7fc1, 0x0001};
    uint16_t got[4];
    struct store s;

    cr_assert(store_begin(&s));
    write_source(store_path(&s, "right.h5"), bfloat16_type(127), data);
    cr_assert_eq(store_scan(&s, store_path(&s, "right.h5")), DTX_OK);
    cr_assert_eq(store_find(&s, "x")->type.dtype, DTX_BFLOAT16);
    cr_assert_eq(store_read(&s, "x", NULL, NULL, got), DTX_OK);
    cr_assert_arr_eq(got, data, sizeof data);
    write_source(store_path(&s, "wrong.h5"), bfloat16_type(15), data);
    cr_assert_eq(store_scan(&s, store_path(&s, "wrong.h5")), DTX_ERR_SOURCE);
    cr_assert(strstr(s.err.message, "exponent bias of 15") != NULL, "%s",
              s.err.message);
    cr_assert(strstr(s.err.message, "wrong.h5") != NULL);
    store_finish(&s);
}

Test(types, integers_that_dont_use_all_bits_are_raw)
{
    static const int32_t data[4] = {1, 2, 3, 4};
    hid_t type = H5Tcopy(H5T_STD_I32LE);
    struct store s;

    H5Tset_precision(type, 24);
    cr_assert(store_begin(&s));
    write_source(store_path(&s, "x.h5"), type, data);
    cr_assert_eq(store_scan(&s, store_path(&s, "x.h5")), DTX_OK);
    cr_assert_eq(store_find(&s, "x")->type.dtype, DTX_RAW);
    cr_assert_eq(store_find(&s, "x")->type.size_bytes, 4);
    cr_assert_str_eq(s.catalog->raw_types[0].description, "integer of 4 bytes");
    store_finish(&s);
}
