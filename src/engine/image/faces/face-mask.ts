import type { FaceBox } from './face-boxes.ts';

/** How far the mask reaches from the middle of the box, in its sides: hair and chin are part of a face. */
export const FACE_REACH = 0.85;
/** Part of that from which on the mask fades. */
const FULL = 0.55;

/** How much of the treatment a point gets: 1 in the ellipse of the face, fading to 0 at its reach. Pixels. */
export function faceMask({ x, y, width, height }: FaceBox, px: number, py: number): number {
  const away = Math.hypot((px - x - width / 2) / width, (py - y - height / 2) / height) / FACE_REACH;
  const t = Math.min(1, Math.max(0, (1 - away) / (1 - FULL)));
  return t * t * (3 - 2 * t);
}
