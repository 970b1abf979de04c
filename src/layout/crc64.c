#include "layout/crc64.h"

#include "layout/crc64_clmul.h"
#include "layout/crc64_portable.h"

/* x^(8 * 2^i) mod P. */
static const uint64_t squares[64] = {
    0x0080000000000000, 0x0000800000000000, 0x0000000080000000,
    0xC96C5795D7870F42, 0x6D5F4AD7E3C3AFA0, 0xD49F7E445077D8EA,
    0x040FB02A53C216FA, 0x6BEC35957B9EF3A0, 0xB0E3BB0658964AFE,
    0x218578C7A2DFF638, 0x6DBB920F24DD5CF2, 0x7A140CFCDB4D5EB5,
    0x41B3705ECBC4057B, 0xD46AB656ACCAC1EA, 0x329BEDA6FC34FB73,
    0x51A4FCD4350B9797, 0x314FA85637EFAE9D, 0xACF27E9A1518D512,
    0xFFE2A3388A4D8CE7, 0x48B9697E60CC2E4E, 0xADA73CB78DD62460,
    0x3EA5454D8CE5C1BB, 0x5E84E3A6C70FEAF1, 0x90FD49B66CBD81D1,
    0xE2943E0C1DB254E8, 0xECFA6ADECA8834A1, 0xF513E212593EE321,
    0xF36AE57331040916, 0x63FBD333B87B6717, 0xBD60F8E152F50B8B,
    0xA5CE4A8299C1567D, 0x0BD445F0CBDB55EE, 0xFDD6824E20134285,
    0xCEAD8B6EBDA2227A, 0xE44B17E4F5D4FB5C, 0x9B29C81AD01CA7C5,
    0x1B4366E40FEA4055, 0x27BCA1551AAE167B, 0xAA57BCD1B39A5690,
    0xD7FCE83FA1234DB9, 0xCCE4986EFEA3FF8E, 0x3602A4D9E65341F1,
    0x722B1DA2DF516145, 0xECFC3DDD3A08DA83, 0x0FB96DCCA83507E6,
    0x125F2FE78D70F080, 0x842F50B7651AA516, 0x09BC34188CD9836F,
    0xF43666C84196D909, 0xB56FEB30C0DF6CCB, 0xAA66E04CE7F30958,
    0xB7B1187E9AF29547, 0x113255F8476495DE, 0x8FB19F783095D77E,
    0xAEC4AACC7C82B133, 0xF64E6D09218428CF, 0x036A72EA5AC258A0,
    0x5235EF12EB7AAA6A, 0x2FED7B1685657853, 0x8EF8951D46606FB5,
    0x9D58C1090F034D14, 0x36F6C59A9FDAA97B, 0xBE2D517D98682592,
    0x7BCD738FEF5729F1,
};

uint64_t
dtx_crc64_multiply(uint64_t a, uint64_t b)
{
    return crc64_has_clmul() ? crc64_clmul_multiply(a, b)
                             : dtx_crc64_multiply_portable(a, b);
}

uint64_t
dtx_crc64_power(uint64_t bytes)
{
    uint64_t power = DTX_CRC64_ONE;
    int i;

    for (i = 0; bytes != 0; i++) {
        if (bytes & 1) {
            power = power == DTX_CRC64_ONE
                        ? squares[i]
                        : dtx_crc64_multiply(power, squares[i]);
        }
        bytes >>= 1;
    }
    return power;
}

uint64_t
dtx_crc64_raw(const void *data, size_t bytes)
{
    return bytes >= CRC64_WIDE_BYTES && crc64_has_wide_clmul()
               ? crc64_clmul_raw(data, bytes)
               : dtx_crc64_append(0, data, bytes);
}

uint64_t
dtx_crc64_rows(const struct dtx_crc64_rows *rows)
{
    const unsigned char *data = rows->data;
    uint64_t sum;
    int64_t i;

    if (!crc64_has_clmul()) {
        return dtx_crc64_rows_portable(rows);
    }
    if (crc64_clmul_takes(rows)) {
        return crc64_clmul_rows(rows);
    }
    sum = dtx_crc64_raw(data, rows->run_bytes);
    for (i = 1; i < rows->count; i++) {
        data += rows->step_bytes;
        sum = crc64_clmul_multiply(sum, rows->power) ^
              dtx_crc64_raw(data, rows->run_bytes);
    }
    return sum;
}
