/** Limits of the engine and their reasons. Pixels are counted before any decoding. */

/**
 * Allows medium format (102 megapixels) and phones (108); a decompression bomb of a few kB declares hundreds or more.
 */
export const MAX_INPUT_PIXELS = 120_000_000;

/** 60 megapixels doubled, 15 quadrupled. More takes minutes and gives files that few programs open. */
export const MAX_OUTPUT_PIXELS = 250_000_000;

/** Bytes of pixels in memory at once, after decoding or after enlarging: 120 megapixels of 16-bit RGBA. */
export const MAX_RAW_BYTES = 1_000_000_000;

/** JPEG stores its sides in 16 bits; libjpeg reserves some of the values. */
export const MAX_JPEG_SIDE = 65_500;

/** WebP stores its sides in 14 bits (RFC 6386, 9.1). */
export const MAX_WEBP_SIDE = 16_383;

/** Maximum side that libheif writes. */
export const MAX_AVIF_SIDE = 16_384;

/**
 * Maximum pixels of an AVIF result. Encoding AV1 takes many times longer than JPEG, and several copies of the picture.
 * 40 megapixels with alpha at quality 100 take 2.1 GB of a child's 2.5 and about 5 minutes of a loaded machine. 60
 * megapixels take more memory than a child has.
 */
export const MAX_AVIF_PIXELS = 40_000_000;

/** Maximum side of an input, pixels. No real picture is longer, but a malformed header may declare more. */
export const MAX_SIDE = 100_000;

/** Maximum number of frames or pages to count. Only the first is used, so a longer list is no reason for rejection. */
export const MAX_FRAMES_COUNTED = 10_000;

/** Resident memory of a child, bytes: raw pixels twice (before and after enlarging), decoder and runtime. */
export const CHILD_MEMORY_BYTES = 2_500_000_000;

/** JavaScript heap of a child, MiB. It does not contain the pixels. */
export const CHILD_HEAP_MIB = 512;

/** Milliseconds after which a child that is not ready counts as broken. */
export const CHILD_START_TIMEOUT_MS = 30_000;
