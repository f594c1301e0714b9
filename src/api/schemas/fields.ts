import { z } from 'zod';
import { isPlainText, MAX_FILENAME_LENGTH } from './filenames.ts';

const MAX_URL_LENGTH = 2048;

/** The number that a text of a form or a query stands for; NaN when it stands for none. */
export const numberOf = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

/** An address of the web, in its usual spelling. */
export const httpUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(
    (text) => isPlainText(text) && /^https?:/i.test(text) && URL.canParse(text),
    'expected an http or https address',
  )
  .transform((text) => new URL(text).href);

export const filename = z
  .string()
  .min(1)
  .max(MAX_FILENAME_LENGTH)
  .refine(isPlainText, 'expected text without control characters')
  .meta({ description: 'Name of the file; folders in it are dropped.', example: 'photo.jpg' });
