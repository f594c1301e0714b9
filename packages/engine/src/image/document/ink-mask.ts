import type { Picture } from '../picture.ts';
import { lumaOf } from '../luma.ts';
import { mostAround } from './page-planes.ts';

/** Reach of the core of a stroke, inches. */
const CORE = 0.01;
/** Contrast of ink against white paper, of 255: that of the darkest part of a stroke, and that of the edge of a pale one. */
const CONTRAST = { core: 34, edge: 20 } as const;

/** Share of the contrast of a stroke's core at its edge. Below a half, since the cores of thin strokes are blurred: Tesseract reads them as in greys. */
const EDGE = 0.375;

/** Returns how much each pixel differs from white, 0 to 255. Coloured ink counts by its darkest channel as well. */
export function contrastToPaper({ data, width, height, channels }: Picture): Uint8Array {
  const contrast = new Uint8Array(width * height);
  const [second, last] = [channels >> 1, channels - 1];
  for (let pixel = 0, at = 0; pixel < contrast.length; pixel += 1, at += channels) {
    const [red, green, blue] = [data[at]!, data[at + second]!, data[at + last]!];
    const luma = lumaOf(red, green, blue);
    contrast[pixel] = 255 - Math.min(luma, (luma + Math.min(red, green, blue)) / 2);
  }
  return contrast;
}

/** Returns the largest contrast near each pixel: that of the core of its stroke. @param dpi pixels of the page an inch */
export const coreContrast = (contrast: Uint8Array, width: number, dpi: number): Uint8Array =>
  mostAround(contrast, width, Math.max(1, Math.round(CORE * dpi)));

/**
 * Finds the strokes of ink on a clean page, each up to a share of the contrast of its own core. So a pale stroke keeps its width.
 * @param core as `coreContrast` returns it
 * @returns levels that exceed 128 in ink, and cross it at the edge
 */
export function inkLevels(contrast: Uint8Array, core: Uint8Array): Uint8Array {
  return Uint8Array.from(contrast, (each, at) =>
    each === 0 || core[at]! <= CONTRAST.core
      ? 0
      : Math.max(0, Math.min(255, 129 + each - Math.max(CONTRAST.edge, Math.round(EDGE * core[at]!)))),
  );
}

/** Whether a level of `inkLevels` is ink. */
export const isInk = (level: number): boolean => level > 128;
