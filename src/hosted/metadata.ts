import type { PdfAnalysis } from '@burnish/contract';
import { z } from 'zod';
import { lenientNumber } from './schemas.ts';

/** The contract does not define the keys inside `statistics`. Known keys are read, and others are ignored. */
const count = lenientNumber.catch(0);
const metadataSchema = z.object({
  totalCredits: lenientNumber,
  statistics: z
    .object({
      pages: count,
      images: count,
      colorEligible: count,
      resizeEligible: count,
      credits: z.object({ color: count, resize: count, colorAndResize: count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

const MAX_METADATA_LENGTH = 100_000;

/** Parses the analysis of a PDF from JSON text or an object; null without a number of credits. */
export function parseAnalysis(metadata: unknown): PdfAnalysis | null {
  const { data } = metadataSchema.safeParse(typeof metadata === 'string' ? parse(metadata) : metadata);
  if (data === undefined) return null;
  const { pages = 0, images = 0, colorEligible = 0, resizeEligible = 0, credits } = data.statistics ?? {};
  return {
    totalCredits: data.totalCredits,
    statistics: {
      pages,
      images,
      colorEligible,
      resizeEligible,
      credits: credits ?? { color: 0, resize: 0, colorAndResize: 0 },
    },
  };
}

function parse(text: string): unknown {
  if (text.length > MAX_METADATA_LENGTH) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
