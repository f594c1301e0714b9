import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { lumaOf } from '../luma.ts';

/**
 * A band of rows as planes of floats, 0..255: luma and two chroma planes for RGB, otherwise the channels themselves.
 */
export interface Strip {
  width: number;
  /** Rows, including margins */
  height: number;
  /** Row of the picture that is the first row of the band; negative in the margin above the picture */
  top: number;
  /** Samples before this filter */
  source: Float32Array[];
  /** Output of the filter, initially a copy of the source. Only the rows between the margins are used */
  target: Float32Array[];
}

const ROWS = 128;

/**
 * Applies a filter to a picture in place, band by band, so that memory never holds floats of the whole picture. Only
 * the filter's difference is added to the samples: where the filter changes nothing, they stay bit-exact.
 * @param margin rows above and below in the filter's window, a multiple of 8; rows beyond the edge are mirrored
 */
export function filterStrips(
  picture: Picture,
  margin: number,
  filter: (strip: Strip) => void,
  onStrip?: (part: number) => void,
): void {
  const { width, height } = picture;
  const planes = colourChannels(picture);
  const window = ROWS + 2 * margin;
  const make = (): Float32Array[] => Array.from({ length: planes }, () => new Float32Array(width * window));
  const [source, target] = [make(), make()];

  for (let top = 0; top < height; top += ROWS) {
    const rows = Math.min(ROWS, height - top);
    // The rows above are already written; the end of the previous band still has their original values.
    for (const plane of source) plane.copyWithin(0, ROWS * width, window * width);
    for (let r = top === 0 ? 0 : 2 * margin; r < rows + 2 * margin; r += 1) {
      const y = top - margin + r;
      if (y < height) readRow(picture, mirror(y, height), source, r * width);
      else {
        // Rows beyond the last one are mirrored from this band, since the picture itself may already be written.
        const from = (mirror(y, height) - top + margin) * width;
        for (const plane of source) plane.copyWithin(r * width, from, from + width);
      }
    }
    source.forEach((plane, p) => target[p]!.set(plane));
    filter({ width, height: rows + 2 * margin, top: top - margin, source, target });
    for (let r = 0; r < rows; r += 1) writeRow(picture, top + r, source, target, (r + margin) * width);
    onStrip?.((top + rows) / height);
  }
}

/** Reflects an index beyond either edge; the edge row itself is repeated. */
function mirror(index: number, length: number): number {
  const period = 2 * length;
  const i = ((index % period) + period) % period;
  return i < length ? i : period - 1 - i;
}

function readRow(picture: Picture, y: number, planes: Float32Array[], at: number): void {
  const { data, width, channels, space } = picture;
  const scale = 255 / maxSample(picture);
  let i = y * width * channels;
  if (space === 'rgb') {
    const [luma, blue, red] = planes as [Float32Array, Float32Array, Float32Array];
    for (let x = at; x < at + width; x += 1, i += channels) {
      const [r, g, b] = [data[i]! * scale, data[i + 1]! * scale, data[i + 2]! * scale];
      const y = lumaOf(r, g, b);
      luma[x] = y;
      blue[x] = (b - y) * 0.564;
      red[x] = (r - y) * 0.713;
    }
    return;
  }
  for (let x = at; x < at + width; x += 1, i += channels)
    planes.forEach((plane, p) => (plane[x] = data[i + p]! * scale));
}

function writeRow(picture: Picture, y: number, source: Float32Array[], target: Float32Array[], at: number): void {
  const { data, width, channels, space } = picture;
  const max = maxSample(picture);
  const scale = max / 255;
  const limited = (value: number): number => (value < 0 ? 0 : value > max ? max : value);
  let i = y * width * channels;
  if (space === 'rgb') {
    const [luma0, blue0, red0] = source as [Float32Array, Float32Array, Float32Array];
    const [luma1, blue1, red1] = target as [Float32Array, Float32Array, Float32Array];
    for (let x = at; x < at + width; x += 1, i += channels) {
      const luma = luma1[x]! - luma0[x]!;
      const blue = blue1[x]! - blue0[x]!;
      const red = red1[x]! - red0[x]!;
      data[i] = limited(data[i]! + (luma + 1.402 * red) * scale + 0.5);
      data[i + 1] = limited(data[i + 1]! + (luma - 0.344 * blue - 0.714 * red) * scale + 0.5);
      data[i + 2] = limited(data[i + 2]! + (luma + 1.772 * blue) * scale + 0.5);
    }
    return;
  }
  for (let x = at; x < at + width; x += 1, i += channels)
    target.forEach((plane, p) => (data[i + p] = limited(data[i + p]! + (plane[x]! - source[p]![x]!) * scale + 0.5)));
}
