/** One layer of a chain of convolutions. Weights are in the order output, input, row, column. */
export interface ConvolutionLayer {
  kind: 'convolution' | 'deconvolution';
  inputs: number;
  outputs: number;
  /** Side of the square kernel */
  kernel: number;
  stride: number;
  /** Padding; for a deconvolution, the pixels cropped from each side */
  pad: number;
  weights: Float32Array;
  bias: Float32Array;
  /** Slope of a leaky ReLU below 0; 1 for none */
  slope: number;
}

/** First line of a text description. */
const MAGIC = '7767517';
/** Flag before weights stored as 16-bit floats; the flag for 32-bit floats is 0. */
const HALF_FLOATS = 0x01306b47;

/**
 * Parses a network in the format of ncnn (github.com/Tencent/ncnn, "param and model file structure"). It supports only
 * chains of convolutions, the form of all networks in use.
 * @param param the text description
 * @param weights the file of weights
 * @throws Error for any other content
 */
export function readNcnnNetwork(param: string, weights: Uint8Array): ConvolutionLayer[] {
  const [magic, , ...lines] = param.trim().split('\n');
  if (magic?.trim() !== MAGIC) throw new Error('This is not a network of ncnn.');
  const view = new DataView(weights.buffer, weights.byteOffset, weights.byteLength);
  let at = 0;
  let inputs = 3;
  const layers: ConvolutionLayer[] = [];
  for (const line of lines) {
    const [type, , , , ...rest] = line.trim().split(/\s+/);
    if (type === 'Input') continue;
    if (type !== 'Convolution' && type !== 'Deconvolution') throw new Error(`Layers of type ${type} are not known.`);
    const option = options(rest);
    const [outputs, kernel, count] = [option(0), option(1), option(6)];
    if (count !== outputs * inputs * kernel * kernel || option(5) !== 1) throw new Error('The layers do not fit.');
    const read = readWeights(view, at, count);
    const bias = readFloats(view, read.next, outputs);
    at = read.next + outputs * 4;
    layers.push({
      kind: type === 'Convolution' ? 'convolution' : 'deconvolution',
      ...{ inputs, outputs, kernel, bias },
      stride: option(3, 1),
      pad: option(4, 0),
      weights: read.values,
      slope: slopeOf(option(9, 0), rest),
    });
    inputs = outputs;
  }
  if (at !== weights.byteLength) throw new Error('The file of weights has another length than the layers.');
  return layers;
}

/** Parses numbered options such as `1=3`, and skips the names of inputs and outputs among them. */
function options(words: readonly string[]): (key: number, fallback?: number) => number {
  return (key, fallback) => {
    const value = words.find((word) => word.startsWith(`${key}=`))?.split('=')[1];
    if (value === undefined && fallback === undefined) throw new Error(`Option ${key} of a layer is missing.`);
    return value === undefined ? fallback! : Number(value);
  };
}

/** Activation 2 is a leaky ReLU. Its slope is the only value of array option 10, written as -23310. */
function slopeOf(activation: number, words: readonly string[]): number {
  if (activation === 0) return 1;
  const slope = Number(words.find((word) => word.startsWith('-23310=1,'))?.split(',')[1]);
  if (activation !== 2 || !(slope >= 0)) throw new Error(`Activation ${activation} is not known.`);
  return slope;
}

function readWeights(view: DataView, at: number, count: number): { values: Float32Array; next: number } {
  const flag = view.getUint32(at, true);
  if (flag === 0) return { values: readFloats(view, at + 4, count), next: at + 4 + count * 4 };
  if (flag !== HALF_FLOATS) throw new Error('The weights are stored in a way that is not known.');
  const values = Float32Array.from({ length: count }, (_, i) => fromHalf(view.getUint16(at + 4 + i * 2, true)));
  // Every array starts at a multiple of four bytes.
  return { values, next: at + 4 + Math.ceil((count * 2) / 4) * 4 };
}

function readFloats(view: DataView, at: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => view.getFloat32(at + i * 4, true));
}

/** Converts IEEE 754 binary16 to a number. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
