import type { ConvolutionLayer } from './ncnn-network.ts';
import { encodeOnnx } from './onnx-file.ts';
import type { OnnxNode, OnnxTensor } from './onnx-file.ts';

/**
 * Converts a chain of convolutions to an ONNX file: input `x`, output `y`, float32 [1, 3, height, width] with RGB in
 * 0..1.
 * @param name name of the graph
 */
export function convolutionsToOnnx(name: string, layers: readonly ConvolutionLayer[]): Uint8Array {
  const nodes: OnnxNode[] = [];
  const weights: OnnxTensor[] = [];
  let from = 'x';
  layers.forEach((layer, i) => {
    const { kind, inputs, outputs, kernel, stride, pad, slope, bias } = layer;
    const last = i === layers.length - 1;
    const [weightName, biasName] = [`w${i}`, `b${i}`];
    const transposed = kind === 'deconvolution';
    weights.push(
      transposed
        ? { name: weightName, shape: [inputs, outputs, kernel, kernel], values: swapInputsAndOutputs(layer) }
        : { name: weightName, shape: [outputs, inputs, kernel, kernel], values: layer.weights },
      { name: biasName, shape: [outputs], values: bias },
    );
    const output = last && slope === 1 ? 'y' : `c${i}`;
    nodes.push({
      operator: transposed ? 'ConvTranspose' : 'Conv',
      inputs: [from, weightName, biasName],
      output,
      attributes: { kernel_shape: [kernel, kernel], strides: [stride, stride], pads: [pad, pad, pad, pad] },
    });
    from = output;
    if (slope === 1) return;
    const activated = last ? 'y' : `a${i}`;
    nodes.push({ operator: 'LeakyRelu', inputs: [from], output: activated, attributes: { alpha: { float: slope } } });
    from = activated;
  });
  return encodeOnnx({ name, nodes, weights, input: ['x', layers[0]!.inputs], output: ['y', layers.at(-1)!.outputs] });
}

/** ONNX orders the weights of a transposed convolution by input first. */
function swapInputsAndOutputs({ inputs, outputs, kernel, weights }: ConvolutionLayer): Float32Array {
  const area = kernel * kernel;
  const result = new Float32Array(weights.length);
  for (let o = 0; o < outputs; o += 1) {
    for (let i = 0; i < inputs; i += 1) {
      result.set(weights.subarray((o * inputs + i) * area, (o * inputs + i + 1) * area), (i * outputs + o) * area);
    }
  }
  return result;
}
