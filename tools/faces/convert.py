"""Converts the tiny face detector of @vladmandic/face-api to packages/engine/models/faces/detector.onnx, without loss.

    npm pack @vladmandic/face-api@1.7.15 && tar xzf vladmandic-face-api-1.7.15.tgz
    python3 -m pip install onnx==1.23.2
    python3 tools/faces/convert.py package/model packages/engine/models/faces

The weights stay the 8-bit numbers that they are in the package: a quantised tensor there is q * scale + min, and min is a
whole multiple of scale, so that ONNX's DequantizeLinear says the same. The layers are those of src/tinyYolov2/
TinyYolov2Base.ts (runMobilenet) with the settings of src/tinyFaceDetector/const.ts.
"""

import hashlib
import json
import pathlib
import sys

import numpy
from onnx import TensorProto, checker, helper, numpy_helper

MEAN_RGB = (117.001, 114.697, 97.404)
LEAK = 0.1

source, target = map(pathlib.Path, sys.argv[1:3])
manifest = json.loads((source / "tiny_face_detector_model-weights_manifest.json").read_text())[0]["weights"]
data = (source / "tiny_face_detector_model.bin").read_bytes()

initializers, nodes = [], []


def constant(name, array):
    initializers.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
    return name


def node(operator, inputs, output, **attributes):
    nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
    return output


def load_weights():
    at = 0
    for entry in manifest:
        name, shape, quantization = entry["name"], entry["shape"], entry["quantization"]
        count = int(numpy.prod(shape))
        values = numpy.frombuffer(data, numpy.uint8, count, at).reshape(shape)
        at += count
        scale, minimum = quantization["scale"], quantization["min"]
        zero = -minimum / scale
        assert abs(zero - round(zero)) < 1e-6, name
        if name.endswith("depthwise_filter"):
            values = values.transpose(2, 3, 0, 1)
        elif values.ndim == 4:
            values = values.transpose(3, 2, 0, 1)
        inputs = [constant(f"{name}/q", values), constant(f"{name}/s", numpy.float32(scale)), constant(f"{name}/z", numpy.uint8(round(zero)))]
        node("DequantizeLinear", inputs, name)
    assert at == len(data)


def leaky(x, name):
    return node("LeakyRelu", [x], name, alpha=LEAK)


def separable(x, name, channels):
    x = node("Conv", [x, f"{name}/depthwise_filter"], f"{name}/d", pads=[1, 1, 1, 1], group=channels)
    x = node("Conv", [x, f"{name}/pointwise_filter", f"{name}/bias"], f"{name}/p")
    return leaky(x, f"{name}/out")


def pool(x, name, stride):
    return node("MaxPool", [x], name, kernel_shape=[2, 2], strides=[stride, stride], auto_pad="SAME_UPPER")


load_weights()
x = node("Sub", ["x", constant("mean", (numpy.array(MEAN_RGB, numpy.float32) / 255).reshape(1, 3, 1, 1))], "centred")
x = leaky(node("Conv", [x, "conv0/filters", "conv0/bias"], "conv0/c"), "conv0/out")
channels = 16
for i in range(1, 6):
    x = separable(pool(x, f"pool{i}", 2), f"conv{i}", channels)
    channels *= 2
node("Conv", [pool(x, "pool6", 1), "conv8/filters", "conv8/bias"], "y")

graph = helper.make_graph(
    nodes,
    "tiny-face-detector",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "height", "width"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 25, "rows", "columns"])],
    initializers,
)
model = helper.make_model(graph, producer_name="burnish", ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
checker.check_model(model, full_check=True)
target.mkdir(parents=True, exist_ok=True)
file = model.SerializeToString()
(target / "detector.onnx").write_bytes(file)
print(len(file), "bytes, sha256", hashlib.sha256(file).hexdigest())
