/*
 * Layouts that use all there is, as seeds for other tests.
 */
#ifndef DTX_TEST_SPEC_RICH_H
#define DTX_TEST_SPEC_RICH_H

/* A target with every form of rule and placement. */
#define RICH                                                                   \
    "mesh: {pp: 2, dp: 2, tp: 4}\n"                                            \
    "ranks: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]\n"          \
    "checkpoint:\n"                                                            \
    "  path: \"out/step 1{{x}}/pp-{pp}/rank-{rank:05}.h5\"\n"                  \
    "  dataset: \"model-{tp:02}/{name}\"\n"                                    \
    "  chunks: [64, 32]\n"                                                     \
    "  compression: gzip\n"                                                    \
    "split: balanced\n"                                                        \
    "numbered:\n"                                                              \
    "  - name: \"layers.{n}.**\"\n"                                            \
    "    axis: pp\n"                                                           \
    "    held: [[0-3, 8], [4-7, 9-11]]\n"                                      \
    "    stored: local\n"                                                      \
    "  - {name: \"h.{n}.w\", axis: dp, held: 7}\n"                             \
    "rename:\n"                                                                \
    "  - {match: '^a\\.([0-9]+)', to: 'b.\\1'}\n"                              \
    "tensors:\n"                                                               \
    "  - name: \"layers.*.q[kv].{weight,bias}\"\n"                             \
    "    placements: {tp: shard(0), dp: shard(0)}\n"                           \
    "    split: pad\n"                                                         \
    "  - name: \"fused?\"\n"                                                   \
    "    placements:\n"                                                        \
    "      dp: {shard: 0, segments: [8, 8], block: 2}\n"                       \
    "      tp: {shard: -1, sizes: [1, 2, 3, 4]}\n"                             \
    "  - name: strided\n"                                                      \
    "    placements: [R, \"_S(0, 2)\", {shard: 1, block: 3}]\n"                \
    "    shape: [64, 48]\n"                                                    \
    "    dtype: bf16\n"                                                        \
    "  - name: \"stats\"\n"                                                    \
    "    placements: {tp: partial(sum), dp: {partial: max}}\n"                 \
    "  - name: \"embed.*\"\n"                                                  \
    "    where: {pp: [0, -1], dp: 0}\n"                                        \
    "    placements: {tp: {shard: 0, split_factor: 2}}\n"                      \
    "    shape: {0: 100}\n"                                                    \
    "    pad: {0: 128, -1: {multiple: 64}}\n"                                  \
    "  - name: \"**\"\n"

#endif
