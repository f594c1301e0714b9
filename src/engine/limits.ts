/**
 * What the engine refuses, and why. Pixels are counted before anything is decoded.
 */

/** Covers medium format (102 megapixels) and phones (108); a bomb of a few kB asks for hundreds or more. */
export const MAX_INPUT_PIXELS = 120_000_000;

/** 60 megapixels doubled, 15 quadrupled. More takes minutes and gives files that few programs open. */
export const MAX_OUTPUT_PIXELS = 250_000_000;

/** Bytes of pixels in memory at once, after decoding or after enlarging: 120 megapixels of 16-bit RGBA. */
export const MAX_RAW_BYTES = 1_000_000_000;

/** JPEG holds its sides in 16 bits, less the values that libjpeg keeps for itself. */
export const MAX_JPEG_SIDE = 65_500;

/** WebP holds its sides in 14 bits (RFC 6386, 9.1). */
export const MAX_WEBP_SIDE = 16_383;

/** libheif writes no longer side. */
export const MAX_AVIF_SIDE = 16_384;

/**
 * Pixels of an AVIF result. AV1 takes many times longer to write than JPEG, and several copies of the picture: 40 megapixels with
 * alpha at quality 100 take 2.1 GB of a child's 2.5 and some 5 minutes of a loaded machine, and 60 take more memory than a child has.
 */
export const MAX_AVIF_PIXELS = 40_000_000;

/** Pixels of one side of an input; no picture is longer, a malformed header may be. */
export const MAX_SIDE = 100_000;

/** Frames or pages that are counted; only the first is used, so a longer list is no reason to refuse. */
export const MAX_FRAMES_COUNTED = 10_000;

/** Resident memory of a child, bytes: raw pixels twice (before and after enlarging), decoder and runtime. */
export const CHILD_MEMORY_BYTES = 2_500_000_000;

/** JavaScript heap of a child, MiB. Pixels lie outside it. */
export const CHILD_HEAP_MIB = 512;

/** A child that is not ready by then, milliseconds, is taken for broken. */
export const CHILD_START_TIMEOUT_MS = 30_000;
