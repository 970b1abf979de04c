/*
 * Drives a fuzzer where libFuzzer isn't: all files of a corpus, then seeded
 * changes of them.
 *
 *     replay-NAME ROUNDS [FILE|FOLDER]...
 *
 * The seed is printed, and DTX_TEST_SEED repeats it. What ends the program is
 * left in the file crash-input.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "support/random.h"

enum { INPUTS_MOST = 1000, BYTES_MOST = 1 << 20, GROWTH = 256 };

/* Only some fuzzers have one. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                                     size_t max_size,
                                                     unsigned seed);

struct input {
    uint8_t *data;
    size_t size;
};

static struct input inputs[INPUTS_MOST];
static size_t input_count;
static struct input now;

/* ---------------------------------------------------------------- crashes */

static void
keep_input(int number)
{
    int fd = open("crash-input", O_CREAT | O_TRUNC | O_WRONLY, 0666);

    if (fd >= 0 && write(fd, now.data, now.size) == (ssize_t)now.size) {
        close(fd);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void
try(struct input input)
{
    now = input;
    LLVMFuzzerTestOneInput(input.data, input.size);
}

/* ---------------------------------------------------------------- corpus */

static void
read_input(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct input *input = &inputs[input_count];

    must(file != NULL && input_count < INPUTS_MOST);
    input->data = malloc(BYTES_MOST);
    must(input->data != NULL);
    input->size = fread(input->data, 1, BYTES_MOST, file);
    input_count++;
    fclose(file);
}

static void
read_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);

    must(count >= 0);
    for (int i = 0; i < count; i++) {
        char inside[4096];

        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            read_input(inside);
        }
        free(entries[i]);
    }
    free(entries);
}

static void
read_corpus(const char *path)
{
    struct stat info;

    must(stat(path, &info) == 0);
    if (S_ISDIR(info.st_mode)) {
        read_folder(path);
    } else {
        read_input(path);
    }
}

/* ---------------------------------------------------------------- changes */

static size_t
cut_out(uint8_t *data, size_t size, struct random *random)
{
    size_t at = random_below(random, size);
    size_t count = 1 + random_below(random, size - at < 32 ? size - at : 32);

    memmove(data + at, data + at + count, size - at - count);
    return size - count;
}

/* Puts in a part of any input. */
static size_t
put_in(uint8_t *data, size_t size, size_t most, struct random *random)
{
    const struct input *other = &inputs[random_below(random, input_count)];
    size_t at = random_below(random, size + 1), from, count;

    if (other->size == 0) {
        return size;
    }
    from = random_below(random, other->size);
    count = 1 + random_below(random, 32);
    count = count > other->size - from ? other->size - from : count;
    if (size + count > most) {
        return size;
    }
    memmove(data + at + count, data + at, size - at);
    memcpy(data + at, other->data + from, count);
    return size + count;
}

static size_t
change(uint8_t *data, size_t size, size_t most, struct random *random)
{
    if (LLVMFuzzerCustomMutator != NULL) {
        return LLVMFuzzerCustomMutator(data, size, most,
                                       (unsigned)random_next(random));
    }
    switch (size == 0 ? 0 : random_below(random, 4)) {
    case 0:
        return put_in(data, size, most, random);
    case 1:
        return cut_out(data, size, random);
    case 2:
        data[random_below(random, size)] ^= 1u << random_below(random, 8);
        return size;
    default:
        data[random_below(random, size)] = (uint8_t)random_below(random, 256);
        return size;
    }
}

static void
try_changed(struct random *random)
{
    const struct input *from = &inputs[random_below(random, input_count)];
    size_t most = from->size + GROWTH;
    uint64_t changes = 1 + random_below(random, 6);
    struct input input = {malloc(most), from->size};

    must(input.data != NULL);
    memcpy(input.data, from->data, from->size);
    for (uint64_t i = 0; i < changes; i++) {
        input.size = change(input.data, input.size, most, random);
    }
    try(input);
    free(input.data);
}

int
main(int argc, char **argv)
{
    struct random random = random_begin();
    long rounds = argc > 1 ? atol(argv[1]) : 0;

    for (int i = 2; i < argc; i++) {
        read_corpus(argv[i]);
    }
    must(input_count > 0);
    signal(SIGSEGV, keep_input);
    signal(SIGBUS, keep_input);
    signal(SIGFPE, keep_input);
    signal(SIGABRT, keep_input);
    signal(SIGALRM, keep_input);
    for (size_t i = 0; i < input_count; i++) {
        try(inputs[i]);
    }
    for (long i = 0; i < rounds; i++) {
        alarm(600);
        try_changed(&random);
    }
    printf("%zu inputs and %ld changes of them\n", input_count, rounds);
    return 0;
}
