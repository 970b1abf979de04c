/*
 * Small functions that are put in place wherever they are used: by the C
 * compiler, and by CUDA's in kernels as well as on the host.
 */
#ifndef DTX_UTIL_INLINE_H
#define DTX_UTIL_INLINE_H

#ifdef __CUDACC__
#define DTX_INLINE static __host__ __device__ __forceinline__
#else
#define DTX_INLINE static inline
#endif

#endif
