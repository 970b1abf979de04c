/*
 * Loops that are worth a second version for wider registers.
 */
#ifndef DTX_UTIL_VECTOR_H
#define DTX_UTIL_VECTOR_H

/* A function with a version for AVX2; the dynamic linker chooses the one that
 * the processor can run. It does so before the thread sanitizer is ready for
 * it. */
#if defined(__has_feature)
#define DTX_CLANG_TSAN __has_feature(thread_sanitizer)
#else
#define DTX_CLANG_TSAN 0
#endif
#if defined(__x86_64__) && defined(__GLIBC__) &&                               \
    !defined(__SANITIZE_THREAD__) && !DTX_CLANG_TSAN
#define DTX_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define DTX_VECTOR
#endif

#endif
