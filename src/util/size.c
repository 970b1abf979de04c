#include "util/size.h"

#include <stdio.h>
#include <strings.h>

#include "util/math.h"

static const char letters[] = "KMGTPE";

/* Reads decimal digits; true on overflow. */
static bool
digits_overflow(const char **text, uint64_t *value_out)
{
    uint64_t value = 0;

    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (dtx_mul_overflows(value, (uint64_t)10, &value) ||
            dtx_add_overflows(value, (uint64_t)(**text - '0'), &value)) {
            return true;
        }
    }
    *value_out = value;
    return false;
}

/* The digits behind a point, as a number below 1; digits beyond what a
 * double tells apart are read and change nothing. */
static double
read_fraction(const char **text)
{
    double value = 0;
    double place = 0.1;

    for (; **text >= '0' && **text <= '9'; (*text)++) {
        value += place * (**text - '0');
        place /= 10;
    }
    return value;
}

/* The unit that is the whole rest of the text, or 0. */
static uint64_t
read_unit(const char *text)
{
    uint64_t binary = 1;
    uint64_t decimal = 1;
    char name[4] = {0};

    if (*text == '\0' || strcasecmp(text, "B") == 0) {
        return 1;
    }
    for (int i = 0; letters[i] != 'E'; i++) {
        binary *= 1024;
        decimal *= 1000;
        name[0] = letters[i];
        name[1] = '\0';
        if (strcasecmp(text, name) == 0) {
            return binary;
        }
        name[1] = 'B';
        name[2] = '\0';
        if (strcasecmp(text, name) == 0) {
            return decimal;
        }
        name[1] = 'i';
        if (strcasecmp(text, name) == 0) {
            return binary; /* "64Mi", as Kubernetes has it */
        }
        name[2] = 'B';
        if (strcasecmp(text, name) == 0) {
            return binary;
        }
    }
    return 0;
}

bool
dtx_size_parse(const char *text, uint64_t *bytes_out)
{
    const char *first = text;
    uint64_t whole;
    uint64_t unit;
    double fraction = 0;
    bool has_fraction = false;

    if (digits_overflow(&text, &whole) || text == first) {
        return false;
    }
    if (*text == '.') {
        first = ++text;
        fraction = read_fraction(&text);
        has_fraction = true;
        if (text == first) {
            return false;
        }
    }
    if (text[0] == ' ' && text[1] != '\0') {
        text++;
    }
    unit = read_unit(text);
    /* Half a byte is no size. */
    if (unit == 0 || (unit == 1 && has_fraction) ||
        dtx_mul_overflows(whole, unit, &whole) ||
        dtx_add_overflows(whole, (uint64_t)(fraction * (double)unit), &whole)) {
        return false;
    }
    *bytes_out = whole;
    return true;
}

char *
dtx_size_format(uint64_t bytes, char *text)
{
    uint64_t unit = 1024;
    int letter = 0;

    if (bytes < 1024) {
        snprintf(text, DTX_SIZE_TEXT, "%d B", (int)bytes);
        return text;
    }
    /* 1023.995 of a unit and more would be shown as 1024.00 of it. */
    while (letters[letter + 1] != '\0' &&
           (double)bytes / (double)unit >= 1023.995) {
        unit *= 1024;
        letter++;
    }
    if (bytes % unit == 0) {
        snprintf(text, DTX_SIZE_TEXT, "%d %ciB", (int)(bytes / unit),
                 letters[letter]);
    } else {
        snprintf(text, DTX_SIZE_TEXT, "%.2f %ciB", (double)bytes / (double)unit,
                 letters[letter]);
    }
    return text;
}
