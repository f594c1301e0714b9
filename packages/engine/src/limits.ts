/** Limits of the engine and their reasons. Pixels are counted before any decoding. */

/**
 * Allows medium format (102 megapixels) and phones (108); a decompression bomb of a few kB declares hundreds or more.
 */
export const MAX_INPUT_PIXELS = 120_000_000;

/** Bytes of pixels in memory at once, after decoding or after enlarging: 120 megapixels of 16-bit RGBA. */
export const MAX_RAW_BYTES = 1_000_000_000;

/** Maximum side of an input, pixels. No real picture is longer, but a malformed header may declare more. */
export const MAX_SIDE = 100_000;

/** Maximum number of frames or pages to count. Only the first is used, so a longer list is no reason for rejection. */
export const MAX_FRAMES_COUNTED = 10_000;

/** Resident memory of a child, bytes: raw pixels twice (before and after enlarging), decoder and runtime. */
export const CHILD_MEMORY_BYTES = 2_500_000_000;

/** JavaScript heap of a child, MiB. It does not contain the pixels. */
export const CHILD_HEAP_MIB = 512;
