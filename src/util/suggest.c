#include "util/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Longer words get no suggestion: nobody mistypes them, they are something
 * else altogether. */
enum { LONGEST_WORD = 63 };

static int
min3(int a, int b, int c)
{
    int smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

static int
same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance: insert, delete, replace, or swap
 * neighbours. rows[i] is the row of the table for i mod 3. */
static int
edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][LONGEST_WORD + 1];

    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i - 1) % 3];

        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int replace = !same_letter(a[i - 1], b[j - 1]);

            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + replace);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) &&
                row[j] > rows[(i - 2) % 3][j - 2] + 1) {
                row[j] = rows[(i - 2) % 3][j - 2] + 1;
            }
        }
    }
    return rows[a_length % 3][b_length];
}

const char *
dtx_suggest(const char *word, const char *const *known, int count)
{
    size_t length = strlen(word);
    const char *best = NULL;
    int best_distance = LONGEST_WORD;

    for (int i = 0; length <= LONGEST_WORD && i < count; i++) {
        size_t known_length = strlen(known[i]);
        int longer = (int)(length > known_length ? length : known_length);
        int distance;

        if (known_length > LONGEST_WORD) {
            continue;
        }
        distance = edit_distance(word, length, known[i], known_length);
        /* A third of a word may be wrong, and always less than half. */
        if (distance <= (longer + 2) / 3 && 2 * distance < longer &&
            distance < best_distance) {
            best = known[i];
            best_distance = distance;
        }
    }
    return best;
}
