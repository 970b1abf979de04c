/*
 * The codes of all mistakes that layout files, tensor tables and machine files
 * can have.
 *
 * A code stands for one kind of mistake for ever: dtx-layout(5) explains each
 * in a section of its own, and tests/data/bad has a file for each.
 */
#ifndef DTX_SPEC_CODES_H
#define DTX_SPEC_CODES_H

/* The text. */
#define SPEC_SYNTAX "E001"    /* not YAML */
#define SPEC_ALIAS "E002"     /* an alias or anchor */
#define SPEC_TAG "E003"       /* a tag */
#define SPEC_NESTED "E004"    /* too deep, or too many keys in a map */
#define SPEC_EMPTY "E005"     /* no document */
#define SPEC_DOCUMENTS "E006" /* more than one document */
#define SPEC_DUPLICATE "E007" /* a key twice in a map */
#define SPEC_KEY "E008"       /* a key that is no word */
#define SPEC_NO_TEXT "E009"   /* NUL bytes, or not UTF-8 */

/* Any map. */
#define SPEC_UNKNOWN_KEY "E010"
#define SPEC_TYPE "E011" /* a list where a number should be, … */
#define SPEC_MISSING_KEY "E012"
#define SPEC_UNKNOWN_WORD "E013" /* none of the words that a key can have */
#define SPEC_MANIFEST_ONLY "E014"
#define SPEC_BRACES "E015"  /* a bare {name} or [ab] is no text */
#define SPEC_VERSION "E017" /* a manifest of another version */
#define SPEC_EMPTY_TEXT "E018"

/* The mesh. */
#define SPEC_AXIS_SIZE "E020"
#define SPEC_AXIS_COUNT "E021"
#define SPEC_POSITION_COUNT "E022"
#define SPEC_AXIS_NAME "E023"
#define SPEC_RANK "E024"
#define SPEC_RANK_COUNT "E025"
#define SPEC_RANK_TWICE "E026"
#define SPEC_UNKNOWN_AXIS "E027"

/* The checkpoint. */
#define SPEC_PATH_TEMPLATE "E030"
#define SPEC_DATASET_TEMPLATE "E031"
#define SPEC_GLOBAL_FIELD "E032" /* view: global, but a field tells ranks */
#define SPEC_CHUNKS "E033"
#define SPEC_GLOBAL_FILE "E034"
#define SPEC_SAME_PLACE "E035" /* fields don't tell ranks apart */

/* Rules. */
#define SPEC_GLOB "E040"
#define SPEC_PLACEMENT "E041"
#define SPEC_OP "E042"
#define SPEC_PLACEMENT_COUNT "E043" /* a list longer than the mesh has axes */
#define SPEC_STRIDED_COMMA "E044"   /* a bare _S(0, 2) in a flow list */
#define SPEC_AXIS_TWICE "E045"      /* in where, and sharded or partial */
#define SPEC_DIM "E046"
#define SPEC_SIZES_COUNT "E047"
#define SPEC_SHARD_VALUE "E048"     /* sizes, block, segments, split_factor */
#define SPEC_SHARD_KEYS "E049"      /* that exclude each other */
#define SPEC_SIZES_FIRST "E050"     /* only the first axis on a dim has sizes */
#define SPEC_SPLIT_PAD "E051"       /* with plain shards only */
#define SPEC_COORDINATE "E052"      /* where: out of the axis */
#define SPEC_COORDINATE_LIST "E053" /* where: empty, or one twice */
#define SPEC_EXTENT "E054"
#define SPEC_PAD "E055"
#define SPEC_DTYPE "E056"
#define SPEC_DIGEST "E057"

/* Numbered names. */
#define SPEC_NUMBER_FIELD "E060" /* not exactly one {n} */
#define SPEC_HELD_COUNT "E061"
#define SPEC_HELD_VALUE "E062"
#define SPEC_HELD_BACKWARDS "E063"
#define SPEC_HELD_TWICE "E064"
#define SPEC_HELD_UNEVEN "E065"
#define SPEC_STORED_GLOBAL_VIEW "E066"

/* Renames. */
#define SPEC_REGEX "E070"
#define SPEC_RENAME_TO "E071"

/* Tensor tables and the file list of a manifest. */
#define SPEC_TABLE_FORMAT "E080"
#define SPEC_TABLE_RANGE "E081"
#define SPEC_TABLE_FIELD "E082"
#define SPEC_TABLE_TOTAL "E083"
#define SPEC_TABLE_NAME "E084"
#define SPEC_TABLE_SIZE "E085"
#define SPEC_FILE_BYTES "E086"

/* Machine files. */
#define SPEC_MACHINE_NUMBER "E090" /* a rate or time that can't be */

/* Warnings. */
#define SPEC_OTHER_SIDE "W001" /* a key that counts only on the other side */

#endif
