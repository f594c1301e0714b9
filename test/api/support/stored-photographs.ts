import sharp from 'sharp';
import type { Upload } from '@burnish/contract';
import type { tonedPhotographs } from '../../../packages/engine/test/support/toned-photographs.ts';
import { uploadOf } from '../previews/stored-files.ts';
import type { TestGateway } from './gateway.ts';

type Photograph = ReturnType<typeof tonedPhotographs>[number];

export const pngOf = ({ data, width, height }: Photograph): Promise<Buffer> =>
  sharp(data as Uint8Array, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();

/** Stores photographs as finished uploads. */
export const storedPhotographs = (gateway: TestGateway, photographs: readonly Photograph[]): Promise<Upload[]> =>
  Promise.all(
    photographs.map(async (photograph) => {
      const { width, height } = photograph;
      return await uploadOf(gateway, await pngOf(photograph), 'image/png', { width, height });
    }),
  );
