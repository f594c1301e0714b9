import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Samples of 8 bits, channels interleaved. */
export interface Samples {
  data: Buffer;
  width: number;
  height: number;
  channels: number;
}

/** Smooth shapes, many colours and a little noise: what a photograph is to the technical criteria. Equal for equal seeds. */
export function photograph(width: number, height: number, channels = 3, seed = 1): Samples {
  const data = Buffer.alloc(width * height * channels);
  let state = seed * 2654435761;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      for (let c = 0; c < channels; c += 1, at += 1) {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        const wave =
          Math.sin((x / width) * (5 + c * 3 + seed) + c) + Math.cos((y / height) * (7 - c * 2) + (x / width) * 3);
        data[at] = 128 + wave * 52 + ((state >>> 24) - 128) / 16;
      }
    }
  }
  return { data, width, height, channels };
}

/** A flat drawing: few colours, hard edges. */
export function logo(width: number, height: number): Samples {
  const colours = [
    [255, 255, 255],
    [200, 16, 46],
    [1, 33, 105],
    [255, 205, 0],
    [30, 120, 60],
  ];
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 3) {
      const [u, v] = [x / width - 0.5, y / height - 0.5];
      const place = u * u + v * v < 0.06 ? 1 : Math.abs(u) < 0.08 ? 2 : Math.abs(v) < 0.08 ? 3 : u + v > 0.6 ? 4 : 0;
      data.set(colours[place]!, at);
    }
  }
  return { data, width, height, channels: 3 };
}

/** A chart: many flat colours side by side. */
export function bars(width: number, height: number): Samples {
  const data = Buffer.alloc(width * height * 3, 255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const bar = Math.floor((x / width) * 12);
      if (y / height > 0.1 + ((bar * 7) % 11) / 14)
        data.set([(bar * 67) % 256, (bar * 131) % 256, (bar * 29) % 256], (y * width + x) * 3);
    }
  }
  return { data, width, height, channels: 3 };
}

/** A chart as office programs draw it: bars of two colours, shaded from side to side, on white with a grid. */
export function shadedBars(width: number, height: number): Samples {
  const data = Buffer.alloc(width * height * 3, 255);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 3) {
      const place = (x / width) * 14;
      const [bar, inside] = [Math.floor(place), place % 1];
      const top = 0.85 - 0.05 * bar;
      const shade = 0.85 + 0.15 * Math.sin(inside * 4);
      if (inside < 0.8 && y / height > top)
        data.set(bar % 2 ? [0, 160 * shade, 40 * shade] : [20 * shade, 230 * shade, 0], at);
      else if (y % Math.round(height / 8) === 0) data.fill(180, at, at + 3);
    }
  }
  return { data, width, height, channels: 3 };
}

/** A scanned page of text: dark strokes on paper that is not quite white nor quite even. */
export function scan(width: number, height: number, channels = 3): Samples {
  const data = Buffer.alloc(width * height * channels);
  let state = 9;
  const ink = new Uint8Array(width * height);
  const row = Math.max(12, Math.round(height / 60));
  for (let top = row * 3; top + row * 3 < height; top += row * 1.6) {
    for (let left = width * 0.1; left < width * 0.9;) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      const glyph = row * (0.25 + ((state >>> 16) & 7) / 14);
      const shape = (state >>> 20) & 15;
      for (let y = Math.floor(top); y < top + row * 0.7; y += 1) {
        for (let x = Math.floor(left); x < left + glyph; x += 1) {
          const edge = x - left < row / 8 || left + glyph - x < row / 8;
          if (edge ? shape & 1 : (shape & 2) !== 0 && y - top < row / 8) ink[y * width + x] = 1;
        }
      }
      left += glyph + row * ((state >>> 24) % 6 === 0 ? 0.6 : 0.15);
    }
  }
  for (let i = 0; i < width * height; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const paper = 236 + (i / width / height) * 8 + ((state >>> 26) - 32) / 12;
    for (let c = 0; c < channels; c += 1) data[i * channels + c] = ink[i] ? 40 + (state >>> 28) : paper - c * 4;
  }
  return { data, width, height, channels };
}

const raw = ({ data, width, height, channels }: Samples) =>
  sharp(data, { raw: { width, height, channels: channels as 1 | 3 } });

/** An image object with JPEG data. */
export async function jpegImage(samples: Samples, quality = 90): Promise<{ dict: string; data: Buffer }> {
  const space = samples.channels === 1 ? 'DeviceGray' : 'DeviceRGB';
  const data = await raw(samples)
    .toColourspace(samples.channels === 1 ? 'b-w' : 'srgb')
    .jpeg({ quality })
    .toBuffer();
  return {
    dict: `/Width ${samples.width}/Height ${samples.height}/ColorSpace/${space}/BitsPerComponent 8/Filter/DCTDecode`,
    data,
  };
}

/** An image object with deflated samples. */
export function flateImage({ data, width, height, channels }: Samples, more = ''): { dict: string; data: Buffer } {
  const space = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' }[channels];
  const color = more.includes('/ColorSpace') ? '' : `/ColorSpace/${space}`;
  return {
    dict: `/Width ${width}/Height ${height}${color}/BitsPerComponent 8/Filter/FlateDecode${more}`,
    data: deflateSync(data),
  };
}
