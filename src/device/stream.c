#include "device/stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)

#include <emmintrin.h>

enum { LINE_BYTES = 64, PIECE_BYTES = 16 };

/* dst is the beginning of a line. */
static void
copy_lines(char *dst, const char *src, size_t count)
{
    for (size_t i = 0; i < count * LINE_BYTES; i += LINE_BYTES) {
        for (size_t k = i; k < i + LINE_BYTES; k += PIECE_BYTES) {
            __m128i piece =
                _mm_loadu_si128((const __m128i *)(const void *)(src + k));

            _mm_stream_si128((__m128i *)(void *)(dst + k), piece);
        }
    }
}

/* A line of which only a part is written is stored as usual. */
void
dtx_stream_copy(char *dst, const char *src, size_t bytes)
{
    size_t head = (size_t)(-(uintptr_t)dst % LINE_BYTES);
    size_t lines;

    if (bytes < head + LINE_BYTES) {
        memcpy(dst, src, bytes);
        return;
    }
    lines = (bytes - head) / LINE_BYTES;
    memcpy(dst, src, head);
    copy_lines(dst + head, src + head, lines);
    head += lines * LINE_BYTES;
    memcpy(dst + head, src + head, bytes - head);
}

void
dtx_stream_end(void)
{
    _mm_sfence();
}

#else

void
dtx_stream_copy(char *dst, const char *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}

void
dtx_stream_end(void)
{
}

#endif
