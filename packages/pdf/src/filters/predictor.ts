/** Parameters of a predictor (ISO 32000-1 table 8). */
export interface PredictorParameters {
  predictor: number;
  colors: number;
  bitsPerComponent: number;
  /** Pixels per row */
  columns: number;
}

/** Decodes a TIFF (2) or PNG (10 to 15) predictor; the available part of a truncated last row is kept. */
export function undoPredictor(
  data: Buffer,
  { predictor, colors, bitsPerComponent, columns }: PredictorParameters,
): Buffer {
  if (predictor < 2) return data;
  const pixelBytes = Math.max(1, (colors * bitsPerComponent + 7) >> 3);
  const rowBytes = Math.max(1, (columns * colors * bitsPerComponent + 7) >> 3);
  return predictor === 2 ? undoTiff(data, rowBytes, colors, bitsPerComponent) : undoPng(data, rowBytes, pixelBytes);
}

function undoPng(data: Buffer, rowBytes: number, pixelBytes: number): Buffer {
  const rows = Math.ceil(data.length / (rowBytes + 1));
  const out = Buffer.alloc(Math.max(0, data.length - rows));
  for (let row = 0, from = 0, to = 0; row < rows; row += 1) {
    const type = data[from] as number;
    from += 1;
    const length = Math.min(rowBytes, data.length - from);
    for (let i = 0; i < length; i += 1, from += 1, to += 1) {
      const left = i >= pixelBytes ? (out[to - pixelBytes] as number) : 0;
      const up = row > 0 ? (out[to - rowBytes] as number) : 0;
      let predicted = 0;
      if (type === 1) predicted = left;
      else if (type === 2) predicted = up;
      else if (type === 3) predicted = (left + up) >> 1;
      else if (type === 4)
        predicted = paeth(left, up, row > 0 && i >= pixelBytes ? (out[to - rowBytes - pixelBytes] as number) : 0);
      out[to] = ((data[from] as number) + predicted) & 0xff;
    }
  }
  return out;
}

function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : upLeft;
}

function undoTiff(data: Buffer, rowBytes: number, colors: number, bits: number): Buffer {
  const out = Buffer.from(data);
  for (let start = 0; start < out.length; start += rowBytes) {
    const end = Math.min(out.length, start + rowBytes);
    if (bits === 8) {
      for (let at = start + colors; at < end; at += 1)
        out[at] = ((out[at] as number) + (out[at - colors] as number)) & 0xff;
    } else if (bits === 16) {
      for (let at = start + 2 * colors; at + 1 < end; at += 2) {
        out.writeUInt16BE((out.readUInt16BE(at) + out.readUInt16BE(at - 2 * colors)) & 0xffff, at);
      }
    } else undoTiffBits(out.subarray(start, end), colors, bits);
  }
  return out;
}

/** Samples of 1, 2 or 4 bits: each is the difference from the same component of the previous pixel. */
function undoTiffBits(row: Buffer, colors: number, bits: number): void {
  const mask = (1 << bits) - 1;
  const previous = new Array<number>(colors).fill(0);
  const samples = Math.floor((row.length * 8) / bits);
  for (let i = 0; i < samples; i += 1) {
    const at = (i * bits) >> 3;
    const shift = 8 - bits - ((i * bits) & 7);
    const value = (((row[at] as number) >> shift) + (previous[i % colors] as number)) & mask;
    previous[i % colors] = value;
    row[at] = ((row[at] as number) & ~(mask << shift)) | (value << shift);
  }
}
