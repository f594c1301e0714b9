/** Light that a coded value of sRGB stands for, both 0..1 (IEC 61966-2-1). Display P3 is coded the same, other RGB about so. */
export function linearLight(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}

/** The inverse of `linearLight`. */
export function codedLight(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}
