/*
 * CUDA's kernels: the functions of kernel_*.h, thread by thread, with vectors
 * of 16 bytes to and from memory.
 */
#include "device/cuda_kernels.h"

/* ---------------------------------------------------------------- boxes */

/* Moves a tile in units of one size: all loads that a thread has are under way
 * before it stores. */
template <typename Unit>
static __device__ void
move_tile(const dtx_box_job &job, uint32_t first)
{
    constexpr int each = 4;
    constexpr uint32_t round = each * DTX_BLOCK_THREADS;

    for (uint32_t at = first; at < first + DTX_TILE_UNITS; at += round) {
        Unit held[each];
        unsigned char *to[each];

#pragma unroll
        for (int k = 0; k < each; k++) {
            uint32_t unit = at + k * DTX_BLOCK_THREADS + threadIdx.x;
            const unsigned char *from;

            if (unit < job.unit_count) {
                dtx_box_unit(&job, unit, &to[k], &from);
                held[k] = *reinterpret_cast<const Unit *>(from);
            }
        }
#pragma unroll
        for (int k = 0; k < each; k++) {
            if (at + k * DTX_BLOCK_THREADS + threadIdx.x < job.unit_count) {
                *reinterpret_cast<Unit *>(to[k]) = held[k];
            }
        }
    }
}

__global__ void
__launch_bounds__(DTX_BLOCK_THREADS)
copy_boxes(const dtx_box_job *jobs, int count)
{
    static_assert(sizeof(dtx_box_job) % sizeof(uint32_t) == 0, "whole words");
    constexpr uint32_t words = sizeof(dtx_box_job) / sizeof(uint32_t);
    static_assert(words <= DTX_BLOCK_THREADS, "a word for each thread");
    static_assert(DTX_BATCH_JOBS <= DTX_BLOCK_THREADS, "a job for each thread");
    __shared__ dtx_box_job job;
    __shared__ int index;
    uint32_t first;

    if (dtx_box_has_tile(jobs, count, threadIdx.x, blockIdx.x)) {
        index = threadIdx.x;
    }
    __syncthreads();
    if (threadIdx.x < words) {
        reinterpret_cast<uint32_t *>(&job)[threadIdx.x] =
            reinterpret_cast<const uint32_t *>(&jobs[index])[threadIdx.x];
    }
    __syncthreads();
    first = (blockIdx.x - job.first_tile) * DTX_TILE_UNITS;
    switch (job.unit_bytes) {
    case 16:
        move_tile<uint4>(job, first);
        break;
    case 8:
        move_tile<uint2>(job, first);
        break;
    case 4:
        move_tile<uint32_t>(job, first);
        break;
    case 2:
        move_tile<uint16_t>(job, first);
        break;
    default:
        move_tile<unsigned char>(job, first);
        break;
    }
}

extern "C" cudaError_t
dtx_cuda_copy_boxes(const struct dtx_box_job *jobs, int count, uint32_t tiles,
                    cudaStream_t stream)
{
    copy_boxes<<<tiles, DTX_BLOCK_THREADS, 0, stream>>>(jobs, count);
    return cudaGetLastError();
}

/* ---------------------------------------------------------------- found */

/* The largest of a warp's values, which are >= 0. */
static __device__ double
largest_of_warp(double value)
{
    for (int lane = 16; lane > 0; lane /= 2) {
        double other = __shfl_xor_sync(0xFFFFFFFFu, value, lane);

        value = other > value ? other : value;
    }
    return value;
}

/* All threads of a warp take part. */
static __device__ void
raise_loss(dtx_cuda_found *found, double absolute, double relative)
{
    absolute = largest_of_warp(absolute);
    relative = largest_of_warp(relative);
    if (threadIdx.x % 32 == 0 && absolute > 0) {
        atomicMax(&found->absolute, dtx_double_bits(absolute));
        atomicMax(&found->relative, dtx_double_bits(relative));
    }
}

/* ---------------------------------------------------------------- elements */

/*
 * Between floats, as many elements a thread as the narrower type has in a
 * vector; what doesn't fill one is done element by element.
 */
template <dtx_dtype From, dtx_dtype To>
__global__ void
__launch_bounds__(DTX_BLOCK_THREADS)
convert_floats(dtx_convert_job job, dtx_cuda_found *found)
{
    constexpr int from_bytes = From == DTX_FLOAT64   ? 8
                               : From == DTX_FLOAT32 ? 4
                               : From == DTX_FLOAT16 || From == DTX_BFLOAT16
                                   ? 2
                                   : 1;
    constexpr int to_bytes = To == DTX_FLOAT64                         ? 8
                             : To == DTX_FLOAT32                       ? 4
                             : To == DTX_FLOAT16 || To == DTX_BFLOAT16 ? 2
                                                                       : 1;
    constexpr int narrow = from_bytes < to_bytes ? from_bytes : to_bytes;
    constexpr int each = 16 / narrow;
    uint64_t thread = blockIdx.x * (uint64_t)DTX_BLOCK_THREADS + threadIdx.x;
    uint64_t first = thread * each;
    alignas(16) unsigned char in[each * from_bytes];
    alignas(16) unsigned char out[each * to_bytes];
    double absolute = 0, relative = 0;

    if (first + each <= job.count) {
        const uint4 *from =
            reinterpret_cast<const uint4 *>(job.in + first * from_bytes);
        uint4 *to = reinterpret_cast<uint4 *>(job.out + first * to_bytes);

#pragma unroll
        for (int v = 0; v < from_bytes / narrow; v++) {
            reinterpret_cast<uint4 *>(in)[v] = from[v];
        }
#pragma unroll
        for (int i = 0; i < each; i++) {
            (void)dtx_element_convert(From, To, in + i * from_bytes,
                                      out + i * to_bytes);
        }
#pragma unroll
        for (int v = 0; v < to_bytes / narrow; v++) {
            to[v] = reinterpret_cast<const uint4 *>(out)[v];
        }
        if (job.measures_loss) {
#pragma unroll
            for (int i = 0; i < each; i++) {
                dtx_element_loss(From, To, in + i * from_bytes,
                                 out + i * to_bytes, &absolute, &relative);
            }
        }
    } else {
        for (uint64_t i = first; i < job.count; i++) {
            const unsigned char *from = job.in + i * from_bytes;
            unsigned char *to = job.out + i * to_bytes;

            (void)dtx_element_convert(From, To, from, to);
            if (job.measures_loss) {
                dtx_element_loss(From, To, from, to, &absolute, &relative);
            }
        }
    }
    if (job.measures_loss) {
        raise_loss(found, absolute, relative);
    }
}

/* Of any types, an element a thread; none but floats lose anything. */
__global__ void
__launch_bounds__(DTX_BLOCK_THREADS)
convert_any(dtx_convert_job job, dtx_cuda_found *found)
{
    uint64_t i = blockIdx.x * (uint64_t)DTX_BLOCK_THREADS + threadIdx.x;

    if (i < job.count &&
        !dtx_element_convert(job.from, job.to,
                             job.in + i * dtx_element_bytes(job.from),
                             job.out + i * dtx_element_bytes(job.to))) {
        atomicMin(&found->bad, (unsigned long long)(i / job.parts));
    }
}

static unsigned
blocks_for(uint64_t threads)
{
    return (unsigned)((threads + DTX_BLOCK_THREADS - 1) / DTX_BLOCK_THREADS);
}

template <dtx_dtype From, dtx_dtype To>
static void
launch(const dtx_convert_job &job, dtx_cuda_found *found, cudaStream_t stream)
{
    int from_bytes = dtx_element_bytes(From), to_bytes = dtx_element_bytes(To);
    int each = 16 / (from_bytes < to_bytes ? from_bytes : to_bytes);
    unsigned blocks = blocks_for((job.count + each - 1) / each);

    convert_floats<From, To>
        <<<blocks, DTX_BLOCK_THREADS, 0, stream>>>(job, found);
}

/* False where the other type is no float, or the same. */
template <dtx_dtype From>
static bool
launch_from(const dtx_convert_job &job, dtx_cuda_found *found,
            cudaStream_t stream)
{
    if (job.to == From) {
        return false;
    }
    switch (job.to) {
    case DTX_FLOAT64:
        launch<From, DTX_FLOAT64>(job, found, stream);
        return true;
    case DTX_FLOAT32:
        launch<From, DTX_FLOAT32>(job, found, stream);
        return true;
    case DTX_FLOAT16:
        launch<From, DTX_FLOAT16>(job, found, stream);
        return true;
    case DTX_BFLOAT16:
        launch<From, DTX_BFLOAT16>(job, found, stream);
        return true;
    case DTX_FLOAT8_E4M3FN:
        launch<From, DTX_FLOAT8_E4M3FN>(job, found, stream);
        return true;
    case DTX_FLOAT8_E5M2:
        launch<From, DTX_FLOAT8_E5M2>(job, found, stream);
        return true;
    default:
        return false;
    }
}

static bool
launch_floats(const dtx_convert_job &job, dtx_cuda_found *found,
              cudaStream_t stream)
{
    switch (job.from) {
    case DTX_FLOAT64:
        return launch_from<DTX_FLOAT64>(job, found, stream);
    case DTX_FLOAT32:
        return launch_from<DTX_FLOAT32>(job, found, stream);
    case DTX_FLOAT16:
        return launch_from<DTX_FLOAT16>(job, found, stream);
    case DTX_BFLOAT16:
        return launch_from<DTX_BFLOAT16>(job, found, stream);
    case DTX_FLOAT8_E4M3FN:
        return launch_from<DTX_FLOAT8_E4M3FN>(job, found, stream);
    case DTX_FLOAT8_E5M2:
        return launch_from<DTX_FLOAT8_E5M2>(job, found, stream);
    default:
        return false;
    }
}

extern "C" cudaError_t
dtx_cuda_convert(const struct dtx_convert_job *job,
                 struct dtx_cuda_found *found, cudaStream_t stream)
{
    if (job->count == 0) {
        return cudaSuccess;
    }
    if (!launch_floats(*job, found, stream)) {
        convert_any<<<blocks_for(job->count), DTX_BLOCK_THREADS, 0, stream>>>(
            *job, found);
    }
    return cudaGetLastError();
}

/* ---------------------------------------------------------------- terms */

__global__ void
__launch_bounds__(DTX_BLOCK_THREADS)
reduce_terms(dtx_reduce_job job, dtx_cuda_found *found)
{
    uint64_t i = blockIdx.x * (uint64_t)DTX_BLOCK_THREADS + threadIdx.x;

    if (i < job.count && !dtx_reduce_element(&job, i)) {
        atomicMin(&found->bad, (unsigned long long)i);
    }
}

extern "C" cudaError_t
dtx_cuda_reduce(const struct dtx_reduce_job *job, struct dtx_cuda_found *found,
                cudaStream_t stream)
{
    if (job->count == 0) {
        return cudaSuccess;
    }
    reduce_terms<<<blocks_for(job->count), DTX_BLOCK_THREADS, 0, stream>>>(
        *job, found);
    return cudaGetLastError();
}
