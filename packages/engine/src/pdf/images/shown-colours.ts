import type { Picture } from '../../image/picture.ts';
import { codedLight } from '../../image/steps/curves.ts';
import type { AnyColorSpace, InkSpace, LabSpace } from './color-space.ts';
import type { ImageFacts } from './image-facts.ts';

/**
 * Undoes an inverting `Decode` array, and the inversion that libvips gives to the inks of every CMYK JPEG, as programs of
 * Adobe expect. JPEG 2000 gets the same treatment here. In a PDF, `Decode` alone defines the inversion.
 * @param picture 8 bits, as decoded
 */
export function withoutInversion(picture: Picture, { jpeg, jpx, decode }: ImageFacts): Picture {
  const arrivesInverted = (jpeg ?? jpx) !== undefined && picture.space === 'cmyk';
  if ((decode === 'inverted') === arrivesInverted) return picture;
  return { ...picture, data: picture.data.map((sample) => 255 - sample) };
}

/**
 * Converts samples of a PDF to colours for browsers: inks become CMYK, CIE Lab becomes sRGB. Others do not change.
 * @param picture 8 bits, with its inversion undone
 */
export function shownColours(picture: Picture, color: AnyColorSpace): Picture {
  if ('channels' in color) return asCmyk(picture, color);
  return 'range' in color ? asRgb(picture, color) : picture;
}

function asCmyk(picture: Picture, { channels }: InkSpace): Picture {
  const data = new Uint8Array(picture.width * picture.height * 4);
  for (let from = 0, to = 0; to < data.length; to += 4)
    for (const channel of channels) data[to + channel] = picture.data[from++]!;
  return { ...picture, data, channels: 4, space: 'cmyk' };
}

/**
 * Matrix from XYZ with white D50, the assumed white of Lab in PDFs, to linear sRGB (IEC 61966-2-1), adapted by Bradford's
 * method (ICC.1 annex E).
 */
const TO_LINEAR = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
] as const;
const D50 = [0.9642, 1, 0.8249] as const;

/** Converts CIE Lab to sRGB (ISO 32000-1 section 8.6.5.4). */
function asRgb(picture: Picture, { range: [leastA, mostA, leastB, mostB] }: LabSpace): Picture {
  const data = new Uint8Array(picture.data.length);
  for (let at = 0; at < data.length; at += 3) {
    const [l, a, b] = [picture.data[at]!, picture.data[at + 1]!, picture.data[at + 2]!];
    const m = ((l / 255) * 100 + 16) / 116;
    const xyz = [
      D50[0] * unfold(m + (leastA + (a / 255) * (mostA - leastA)) / 500),
      D50[1] * unfold(m),
      D50[2] * unfold(m - (leastB + (b / 255) * (mostB - leastB)) / 200),
    ] as const;
    TO_LINEAR.forEach(([x, y, z], c) => {
      data[at + c] = 255 * codedLight(Math.min(1, Math.max(0, x * xyz[0] + y * xyz[1] + z * xyz[2]))) + 0.5;
    });
  }
  return { ...picture, data, space: 'rgb' };
}

const unfold = (x: number): number => (x >= 6 / 29 ? x ** 3 : (108 / 841) * (x - 4 / 29));
