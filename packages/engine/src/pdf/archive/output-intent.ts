import sharp from 'sharp';
import { deflateSync } from 'node:zlib';
import { name, type PdfDict, type PdfRef, type PdfString, type PdfValue } from '@burnish/pdf';
import type { EditableObjects } from './editable-objects.ts';

/** Number of components of each profile, by the name that libvips has for it. */
const COMPONENTS = { srgb: 3, cmyk: 4 } as const;
export type ProfileName = keyof typeof COMPONENTS;

/** Returns one of the profiles in the public domain that libvips has. */
export async function profileNamed(profile: ProfileName): Promise<Buffer> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } });
  const written = pixel.toColourspace(profile).withIccProfile(profile).jpeg();
  const { icc } = await sharp(await written.toBuffer()).metadata();
  if (icc === undefined) throw new Error(`libvips has no profile ${profile}.`);
  return icc;
}

export function addProfile(objects: EditableObjects, profile: ProfileName, data: Buffer): PdfRef {
  const dict: PdfDict = new Map<string, PdfValue>([
    ['N', COMPONENTS[profile]],
    ['Filter', name('FlateDecode')],
  ]);
  return objects.add(dict, () => deflateSync(data, { level: 9 }));
}

const text = (value: string): PdfString => ({ kind: 'string', bytes: Buffer.from(value, 'latin1'), hex: false });

/** The output intent of PDF/A (ISO 19005-2 section 6.2.3), which defines all device colours as those of sRGB. */
export const outputIntent = (profile: PdfRef): PdfDict =>
  new Map<string, PdfValue>([
    ['Type', name('OutputIntent')],
    ['S', name('GTS_PDFA1')],
    ['OutputConditionIdentifier', text('sRGB')],
    ['RegistryName', text('http://www.color.org')],
    ['Info', text('sRGB IEC61966-2.1')],
    ['DestOutputProfile', profile],
  ]);
