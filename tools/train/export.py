"""Writes a checkpoint's averaged weights as ONNX, branches merged, together with model.json.

  python export.py CHECKPOINT OUT VERSION

The weights are stored in half precision and widened when a session is made, so results are those of full precision
on the rounded weights, in half the bytes.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from train import TASKS

OPSET = 17


def averaged(state: dict) -> nn.Module:
    network = TASKS[state['task']].network(*state['width'])
    prefix = 'module.'
    weights = {key.removeprefix(prefix): value for key, value in state['average'].items() if key.startswith(prefix)}
    network.load_state_dict(weights)
    return network.eval()


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every float32 weight kept as float16 with a Cast in front of its use."""
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT:
            continue
        full, name = numpy_helper.to_array(tensor), tensor.name
        tensor.CopyFrom(numpy_helper.from_array(full.astype(np.float16), f'{name}.half'))
        casts.append(helper.make_node('Cast', [f'{name}.half'], [name], to=TensorProto.FLOAT))
    for at, node in enumerate(casts):
        graph.node.insert(at, node)
    onnx.checker.check_model(model)
    return model


def main(checkpoint: Path, out: Path, version: str) -> None:
    state = torch.load(checkpoint, map_location='cpu')
    network = averaged(state).merged()
    out.mkdir(parents=True, exist_ok=True)
    file = out / f'x{network.SCALE}.onnx'
    torch.onnx.export(
        network,
        (torch.zeros(1, 3, 64, 64),),
        file,
        input_names=['x'],
        output_names=['y'],
        dynamic_axes={'x': {2: 'h', 3: 'w'}, 'y': {2: 'h2', 3: 'w2'}},
        opset_version=OPSET,
        dynamo=False,
    )
    onnx.save(halved(onnx.load(file)), file)
    about = {
        'name': network.NAME,
        'version': version,
        'file': file.name,
        'scale': network.SCALE,
        'margin': network.margin(),
        'alignment': network.ALIGNMENT,
        'tile': network.TILE,
        'channels': 'RGB',
        'sha256': hashlib.sha256(file.read_bytes()).hexdigest(),
        'parameters': sum(parameter.numel() for parameter in network.parameters()),
        'trainedOn': f'photographs under free licences, listed in tools/train',
        'license': 'Apache-2.0',
    }
    (out / 'model.json').write_text(json.dumps(about, indent=2) + '\n')


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
