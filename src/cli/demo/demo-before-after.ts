import sharp from 'sharp';

/** Pixels */
const HALF_WIDTH = 640;
const DIVIDER = 6;
const DETAIL_HEIGHT = 300;
/** Centre of the enlarged detail, as shares of width and height: the far shore. */
const DETAIL = { x: 0.62, y: 0.54 };

/**
 * Writes both pictures side by side, the original on the left: the whole picture, and below it a detail at the full
 * size of the result, for which the original is enlarged as in a browser.
 * @returns the path of the file
 */
export async function writeBeforeAfter(originalPath: string, resultPath: string, targetPath: string): Promise<string> {
  const { width, height } = await sharp(resultPath).metadata();
  const wholeHeight = Math.round((HALF_WIDTH * height) / width);
  const cut = { width: Math.min(HALF_WIDTH, width), height: Math.min(DETAIL_HEIGHT, height) };
  const detail = {
    ...cut,
    left: Math.min(width - cut.width, Math.max(0, Math.round(width * DETAIL.x - cut.width / 2))),
    top: Math.min(height - cut.height, Math.max(0, Math.round(height * DETAIL.y - cut.height / 2))),
  };
  const halves = await Promise.all(
    [originalPath, resultPath].map(async (path) => {
      const enlarged = await sharp(path)
        .toColourspace('srgb')
        .resize(width, height, { kernel: 'cubic', fit: 'fill' })
        .png()
        .toBuffer();
      return {
        whole: await sharp(path)
          .toColourspace('srgb')
          .resize(HALF_WIDTH, wholeHeight, { fit: 'fill' })
          .png()
          .toBuffer(),
        detail: await sharp(enlarged).extract(detail).png().toBuffer(),
      };
    }),
  );
  const layers = halves.flatMap((half, n) => [
    { input: half.whole, left: n * (HALF_WIDTH + DIVIDER), top: 0 },
    { input: half.detail, left: n * (HALF_WIDTH + DIVIDER), top: wholeHeight + DIVIDER },
  ]);
  const size = { width: 2 * HALF_WIDTH + DIVIDER, height: wholeHeight + DIVIDER + cut.height };
  await sharp({ create: { ...size, channels: 3, background: 'white' } })
    .composite(layers)
    .png({ compressionLevel: 9 })
    .toFile(targetPath);
  return targetPath;
}
