import type { MediaType } from '../upload/media.ts';

/** The formats of results, and what callers read of them. The engine's table of the same keys says how each is encoded. */
export const OUTPUT_FORMAT_FACTS = {
  JPEG: { mediaType: 'image/jpeg', hasQuality: true, keptByAuto: true },
  PNG: { mediaType: 'image/png', hasQuality: false, keptByAuto: true },
  TIFF: { mediaType: 'image/tiff', hasQuality: false, keptByAuto: true },
  AVIF: { mediaType: 'image/avif', hasQuality: true, keptByAuto: false },
  WEBP: { mediaType: 'image/webp', hasQuality: true, keptByAuto: false },
} as const satisfies Record<string, { mediaType: MediaType; hasQuality: boolean; keptByAuto: boolean }>;

export type OutputFormat = keyof typeof OUTPUT_FORMAT_FACTS;

const NAMES = Object.keys(OUTPUT_FORMAT_FACTS) as [OutputFormat, ...OutputFormat[]];

/** The format of a result: as asked; AUTO keeps JPEG, PNG and TIFF, and makes a JPEG of everything else (docs/contract.md). */
export function outputFormatOf(mediaType: MediaType, asked: 'AUTO' | OutputFormat): OutputFormat {
  if (asked !== 'AUTO') return asked;
  const kept = NAMES.find((name) => OUTPUT_FORMAT_FACTS[name].mediaType === mediaType);
  return kept !== undefined && OUTPUT_FORMAT_FACTS[kept].keptByAuto ? kept : 'JPEG';
}
