/*
 * "Did you mean": the closest of some known words.
 */
#ifndef DTX_UTIL_SUGGEST_H
#define DTX_UTIL_SUGGEST_H

/*
 * The known word that is closest to `word` by edit distance (swapped
 * neighbours count one, case counts nothing), or NULL where none is close.
 */
const char *dtx_suggest(const char *word, const char *const *known, int count);

#endif
