import { Burnish, type BurnishOptions } from '@burnish/client';
import { counted, formatNumber, creditRange, isId } from '@burnish/contract';
import { CommandError } from '../command-error.ts';
import type { EstimateOptions } from './enhance-command.ts';
import { formatBytes } from './enhance-format.ts';
import { readParameters } from './enhance-options.ts';

/**
 * Asks for the price of an enhancement, which is a range where only the work itself shows what needs a change. The instance
 * refuses parameters that do not fit the file.
 * @returns a sentence, or JSON
 * @throws BurnishError, CommandError
 */
export async function estimate(
  instance: BurnishOptions,
  { id, json = false, ...options }: EstimateOptions,
): Promise<string> {
  if (!isId('upl', id)) throw new CommandError('Expected the id of an upload (upl_…).');
  const { image, pdf } = readParameters(options);
  const enhancements = [{ ...image.parameters, ...pdf.parameters }];
  const answer = await new Burnish(instance).enhancements.estimate(id, { enhancements });
  if (json) return JSON.stringify(answer);
  const { minCredits, credits, filesize, minFilesize, maxFilesize, width, height, expectedImages, notes } =
    answer.enhancements[0]!;
  const pixels = width === null || height === null ? '' : `, and a result of ${width} × ${height} pixels`;
  const range =
    minFilesize === null || maxFilesize === null
      ? ''
      : `, probably ${formatBytes(minFilesize)} to ${formatBytes(maxFilesize)}`;
  const size = filesize === null ? '' : `, and a result of about ${formatBytes(filesize)}${range}`;
  const { reduced = 0, unchanged = 0 } = expectedImages ?? {};
  const steps =
    reduced + unchanged === 0
      ? []
      : [
          `To keep the size of the file, ${counted(reduced, 'image')} will probably be enlarged less or coded at a lower quality, and ${formatNumber(unchanged)} will stay unchanged.`,
        ];
  const price = creditRange(minCredits, credits).replace(/^a/, 'A');
  return [`${price}${size}${pixels}.`, ...steps, ...notes].join(' ');
}
