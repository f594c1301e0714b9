import { verifyImage } from '../../engine/image/verify.ts';
import type { VerifyOptions } from './verify-command.ts';

/**
 * Compares an original with its enlarged result, reduced again.
 * @returns the lines to print, and whether the result is faithful
 * @throws Failure for files that cannot be compared
 */
export async function verify(options: VerifyOptions): Promise<{ lines: string[]; faithful: boolean }> {
  const { original, result, minPsnr, json = false } = options;
  const { psnr, maxDifference } = await verifyImage(original, result);
  const faithful = psnr === null || psnr >= minPsnr;
  if (json) return { lines: [JSON.stringify({ psnr, maxDifference, faithful })], faithful };
  const difference =
    psnr === null ? 'equals the original' : `differs from the original by at most ${maxDifference} of 255 levels`;
  const measured = psnr === null ? '' : ` (PSNR ${psnr} dB; at least ${minPsnr} dB are required)`;
  return { lines: [`Reduced again, the result ${difference}${measured}.`], faithful };
}
