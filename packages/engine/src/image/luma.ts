/** Returns the luma of a pixel by the weights of ITU-R BT.601, which JPEG uses too, at the scale of its samples. */
export const lumaOf = (red: number, green: number, blue: number): number => 0.299 * red + 0.587 * green + 0.114 * blue;

/** Returns the luma of the pixel at an index: its only sample where it has one colour. @param colours 1 or 3 channels without alpha */
export const lumaAt = (data: ArrayLike<number>, at: number, colours: number): number =>
  colours === 1 ? data[at]! : lumaOf(data[at]!, data[at + 1]!, data[at + 2]!);
