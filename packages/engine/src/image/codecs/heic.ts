import libheif from 'libheif-js/wasm-bundle.js';
import { EngineError } from '@burnish/contract/engine';
import { lackOfMemory } from '../../machine-fault.ts';
import type { Picture } from '../picture.ts';

/** Values of libheif/heif.h */
const COLORSPACE_RGB = 1;
const CHROMA_RGB = 10;
const CHROMA_RGBA = 11;
const CHANNEL_INTERLEAVED = 10;
const [MEMORY_ERROR, UNSPECIFIED] = [6, 0];

const MAX_METADATA_BLOCKS = 16;

/** The primary picture of a HEIC file. Its size and pixels are upright: libheif applies `irot` and `imir` itself. */
export interface HeicImage {
  width: number;
  height: number;
  hasAlpha: boolean;
  bitDepth: number;
  /** Pictures in the file */
  frames: number;
  icc: Uint8Array | undefined;
  /** EXIF from its TIFF header. Its orientation is already applied, by `irot` */
  exif: Uint8Array | undefined;
  xmp: Uint8Array | undefined;
  /** Decodes to 8 bits per sample. @throws EngineError CORRUPT_FILE */
  decode(): Picture;
}

/**
 * Opens a HEIC file in memory, passes it to `use` and frees it afterwards.
 * @throws EngineError CORRUPT_FILE when libheif cannot read it
 */
export async function withHeic<T>(file: Uint8Array, use: (image: HeicImage) => T | Promise<T>): Promise<T> {
  const memory = createMemory();
  const context = libheif._heif_context_alloc();
  let handle = 0;
  try {
    const data = memory.allocate(file.length);
    libheif.HEAPU8.set(file, data);
    check(memory, (error) => libheif._heif_context_read_from_memory_without_copy(error, context, data, file.length, 0));
    handle = memory.pointer((to, error) => libheif._heif_context_get_primary_image_handle(error, context, to));
    return await use(describe(context, handle, memory));
  } finally {
    if (handle !== 0) libheif._heif_image_handle_release(handle);
    libheif._heif_context_free(context);
    memory.free();
  }
}

function describe(context: number, handle: number, memory: Memory): HeicImage {
  const hasAlpha = libheif._heif_image_handle_has_alpha_channel(handle) !== 0;
  const iccSize = libheif._heif_image_handle_get_raw_color_profile_size(handle);
  const blocks = metadataBlocks(handle, memory);
  const exif = blocks.find(({ type }) => type === 'Exif')?.bytes;
  return {
    width: libheif._heif_image_handle_get_width(handle),
    height: libheif._heif_image_handle_get_height(handle),
    hasAlpha,
    bitDepth: libheif._heif_image_handle_get_luma_bits_per_pixel(handle),
    frames: libheif._heif_context_get_number_of_top_level_images(context),
    icc:
      iccSize === 0
        ? undefined
        : memory.read(iccSize, (to, error) => libheif._heif_image_handle_get_raw_color_profile(error, handle, to)),
    exif: exif && afterOffset(exif),
    xmp: blocks.find(({ type, bytes }) => type === 'mime' && Buffer.from(bytes.subarray(0, 400)).includes('xmpmeta'))
      ?.bytes,
    decode: () => decode(handle, hasAlpha, memory),
  };
}

function decode(handle: number, hasAlpha: boolean, memory: Memory): Picture {
  const channels = hasAlpha ? 4 : 3;
  const chroma = hasAlpha ? CHROMA_RGBA : CHROMA_RGB;
  const image = memory.pointer((to, error) => libheif._heif_decode_image(error, handle, to, COLORSPACE_RGB, chroma, 0));
  try {
    const width = libheif._heif_image_handle_get_width(handle);
    const height = libheif._heif_image_handle_get_height(handle);
    const strideAt = memory.allocate(4);
    const plane = libheif._heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, strideAt);
    const stride = memory.uint32(strideAt);
    const data = new Uint8Array(width * height * channels);
    for (let y = 0; y < height; y += 1) {
      const at = plane + y * stride;
      data.set(libheif.HEAPU8.subarray(at, at + width * channels), y * width * channels);
    }
    return { data, width, height, channels, space: 'rgb', hasAlpha };
  } finally {
    libheif._heif_image_release(image);
  }
}

function metadataBlocks(handle: number, memory: Memory): { type: string; bytes: Uint8Array }[] {
  const ids = memory.allocate(4 * MAX_METADATA_BLOCKS);
  const count = libheif._heif_image_handle_get_list_of_metadata_block_IDs(handle, 0, ids, MAX_METADATA_BLOCKS);
  return Array.from({ length: Math.min(count, MAX_METADATA_BLOCKS) }, (_, i) => {
    const id = memory.uint32(ids + 4 * i);
    const typeAt = libheif._heif_image_handle_get_metadata_type(handle, id);
    const type = Buffer.from(libheif.HEAPU8.subarray(typeAt, typeAt + 4)).toString('latin1');
    const size = libheif._heif_image_handle_get_metadata_size(handle, id);
    const bytes = memory.read(size, (to, error) => libheif._heif_image_handle_get_metadata(error, handle, id, to));
    return { type, bytes };
  });
}

/** EXIF in HEIF begins with the offset of its TIFF header, 32 bits (ISO/IEC 23008-12, A.2.1). */
function afterOffset(block: Uint8Array): Uint8Array | undefined {
  if (block.length < 4) return undefined;
  const offset = new DataView(block.buffer, block.byteOffset).getUint32(0);
  return offset + 4 < block.length ? block.subarray(offset + 4) : undefined;
}

interface Memory {
  allocate(bytes: number): number;
  uint32(at: number): number;
  pointer(call: (to: number, error: number) => void): number;
  /** Returns a copy of the bytes that a call writes */
  read(bytes: number, call: (to: number, error: number) => void): Uint8Array;
  free(): void;
}

function createMemory(): Memory {
  const owned: number[] = [];
  const memory: Memory = {
    allocate(bytes) {
      const at = libheif._malloc(bytes);
      if (at === 0) throw lackOfMemory();
      owned.push(at);
      return at;
    },
    uint32: (at) => new DataView(libheif.HEAPU8.buffer).getUint32(at, true),
    pointer(call) {
      const to = memory.allocate(4);
      check(memory, (error) => call(to, error));
      return memory.uint32(to);
    },
    read(bytes, call) {
      const to = memory.allocate(bytes);
      check(memory, (error) => call(to, error));
      return libheif.HEAPU8.slice(to, to + bytes);
    },
    free: () => owned.splice(0).forEach((at) => libheif._free(at)),
  };
  return memory;
}

/** Calls a function that returns `heif_error` by address: code, subcode and message, 32 bits each. */
function check(memory: Memory, call: (error: number) => void): void {
  const error = memory.allocate(12);
  call(error);
  const [code, subcode] = [memory.uint32(error), memory.uint32(error + 4)];
  if (code === 0) return;
  const cause = new Error(`libheif error ${code}.${subcode}`);
  throw code === MEMORY_ERROR && subcode === UNSPECIFIED
    ? lackOfMemory(cause)
    : new EngineError('CORRUPT_FILE', { cause });
}
