import { encodeMessage } from './protobuf.ts';

/** One operator of a network, in terms of ONNX. */
export interface OnnxNode {
  operator: string;
  inputs: readonly string[];
  output: string;
  attributes: Readonly<Record<string, number | readonly number[] | { float: number } | string>>;
}

export interface OnnxTensor {
  name: string;
  shape: readonly number[];
  values: Float32Array;
}

export interface OnnxGraph {
  name: string;
  nodes: readonly OnnxNode[];
  weights: readonly OnnxTensor[];
  /** Name and channels of the input and of the output: float32, NCHW, one picture of any size */
  input: readonly [string, number];
  output: readonly [string, number];
}

/** Versions that ONNX Runtime has supported since 1.8. */
const IR_VERSION = 7;
const OPSET = 13;
const FLOAT = 1;
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 };

/** Encodes a network as an ONNX file (onnx.proto, ModelProto). The same network gives the same bytes. */
export function encodeOnnx({ name, nodes, weights, input, output }: OnnxGraph): Uint8Array {
  const graph = encodeMessage([
    ...nodes.map((node) => [1, encodeNode(node)] as const),
    [2, name],
    ...weights.map((tensor) => [5, encodeTensor(tensor)] as const),
    [11, encodeValue(...input)],
    [12, encodeValue(...output)],
  ]);
  return encodeMessage([
    [1, IR_VERSION],
    [2, 'burnish'],
    [7, graph],
    [8, encodeMessage([[2, OPSET]])],
  ]);
}

function encodeNode({ operator, inputs, output, attributes }: OnnxNode): Uint8Array {
  return encodeMessage([
    ...inputs.map((name) => [1, name] as const),
    [2, output],
    [3, output],
    [4, operator],
    ...Object.entries(attributes).map(([name, value]) => [5, encodeAttribute(name, value)] as const),
  ]);
}

function encodeAttribute(name: string, value: OnnxNode['attributes'][string]): Uint8Array {
  if (typeof value === 'number')
    return encodeMessage([
      [1, name],
      [3, value],
      [20, ATTRIBUTE_TYPE.int],
    ]);
  if (typeof value === 'string')
    return encodeMessage([
      [1, name],
      [4, value],
      [20, ATTRIBUTE_TYPE.string],
    ]);
  if ('float' in value)
    return encodeMessage([
      [1, name],
      [2, value],
      [20, ATTRIBUTE_TYPE.float],
    ]);
  return encodeMessage([[1, name], ...value.map((each) => [8, each] as const), [20, ATTRIBUTE_TYPE.ints]]);
}

function encodeTensor({ name, shape, values }: OnnxTensor): Uint8Array {
  const raw = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => raw.writeFloatLE(value, i * 4));
  return encodeMessage([...shape.map((side) => [1, side] as const), [2, FLOAT], [8, name], [9, raw]]);
}

function encodeValue(name: string, channels: number): Uint8Array {
  const sides = [1, channels, `${name}_height`, `${name}_width`];
  const shape = encodeMessage(sides.map((side) => [1, encodeMessage([[typeof side === 'number' ? 1 : 2, side]])]));
  const tensor = encodeMessage([
    [1, FLOAT],
    [2, shape],
  ]);
  return encodeMessage([
    [1, name],
    [2, encodeMessage([[1, tensor]])],
  ]);
}
