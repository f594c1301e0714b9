/** Where skin of all tones lies in chroma, levels of 255 (Chai and Ngan, "Face segmentation using skin-color map", 1999). */
const BLUE = [77, 127] as const;
const RED = [133, 173] as const;
/** Levels over which the range fades out. */
const FADE = 8;

/** How much a colour looks like skin, 0 to 1. Samples are 0..255. */
export function skinPart(r: number, g: number, b: number): number {
  const blue = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b;
  const red = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b;
  return within(blue, BLUE) * within(red, RED);
}

function within(value: number, [least, most]: readonly [number, number]): number {
  const outside = Math.max(least - value, value - most);
  return Math.min(1, Math.max(0, 1 - outside / FADE));
}
