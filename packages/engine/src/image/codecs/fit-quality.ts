/** Lowest quality that a limit of bytes may cause: below it, a picture is hardly recognised. */
export const LEAST_QUALITY = 10;

/** A result of a coding, and its quality. */
export interface Fitted<Result> {
  quality: number;
  result: Result;
}

/**
 * Finds the largest quality whose result fits, from `LEAST_QUALITY` to below a given one, in at most seven codings.
 * Sizes grow with quality.
 * @returns undefined where no quality fits
 */
export async function fitQuality<Result>(
  below: number,
  code: (quality: number) => Promise<Result>,
  fits: (result: Result) => boolean,
): Promise<Fitted<Result> | undefined> {
  let best: Fitted<Result> | undefined;
  for (let [least, most] = [LEAST_QUALITY, below - 1]; least <= most;) {
    const quality = (least + most + 1) >> 1;
    const result = await code(quality);
    if (fits(result)) {
      best = { quality, result };
      least = quality + 1;
    } else most = quality - 1;
  }
  return best;
}
