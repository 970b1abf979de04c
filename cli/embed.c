/*
 * Makes a text file part of a program, while it is built:
 *
 *     embed NAME FILE >FILE.c
 *
 * prints C that defines `const char NAME[]`. Runs on the machine that builds.
 */
#include <stdio.h>

enum { BYTES_PER_LINE = 16 };

int
main(int argc, char **argv)
{
    FILE *file;
    int c, count = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: embed NAME FILE\n");
        return 2;
    }
    file = fopen(argv[2], "rb");
    if (file == NULL) {
        perror(argv[2]);
        return 1;
    }
    printf("extern const char %s[];\nconst char %s[] = {\n", argv[1], argv[1]);
    while ((c = getc(file)) != EOF) {
        printf("%d,%s", (signed char)c,
               ++count % BYTES_PER_LINE == 0 ? "\n" : "");
    }
    printf("0};\n");
    return ferror(file) || fclose(file) != 0 || fflush(stdout) != 0;
}
