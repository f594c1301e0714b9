import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { lumaTable, valueAt, type ToneCorrection } from './tone-correction.ts';

/** Applies a correction in place. Alpha does not change. Grey gets the luma of the result. Not for CMYK. */
export function applyTone(picture: Picture, correction: ToneCorrection): void {
  const max = maxSample(picture);
  const samplesOf = (table: Float32Array): Uint16Array =>
    Uint16Array.from({ length: max + 1 }, (_, v) =>
      Math.min(max, Math.max(0, Math.round(valueAt(table, v / max) * max))),
    );
  const { data, channels } = picture;
  if (colourChannels(picture) === 1) {
    const samples = samplesOf(lumaTable(correction));
    for (let i = 0; i < data.length; i += channels) data[i] = samples[data[i]!]!;
    return;
  }
  const [red, green, blue] = correction.map(samplesOf) as [Uint16Array, Uint16Array, Uint16Array];
  for (let i = 0; i < data.length; i += channels) {
    data[i] = red[data[i]!]!;
    data[i + 1] = green[data[i + 1]!]!;
    data[i + 2] = blue[data[i + 2]!]!;
  }
}
