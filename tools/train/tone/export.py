"""Writes trained networks as one ONNX file, together with model.json.

  python export.py WEIGHTS... --lights BALANCE... --out FOLDER --version VERSION

The file contains statistics, networks and the zone, so a caller only scales a picture to the thumbnail and applies
tables and matrix. The script also compares the file with PyTorch.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

from apply import Correction, loaded
from balance import lights_of
from model import THUMBNAIL, ZONE

OPSET = 17
OUTPUTS = ['tables', 'matrix', 'gains', 'change']


def simplified(file: Path) -> None:
    """Folds constants: half of the nodes go, and the product loads the file in a third of the time."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(file)
    onnxruntime.InferenceSession(file, options, providers=['CPUExecutionProvider'])
    model = onnx.load(file)
    # The runtime also names operators that the file does not use.
    used = [domain for domain in model.opset_import if domain.domain == '']
    del model.opset_import[:]
    model.opset_import.extend(used)
    onnx.save(model, file)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('weights', type=Path, nargs='+')
    parser.add_argument('--lights', type=Path, nargs='+', required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--version', required=True)
    options = parser.parse_args()
    correction = Correction(lights_of(options.lights), loaded(options.weights)).eval()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / 'tone.onnx'
    tint = torch.tensor([1, 0.8, 0.5]).view(3, 1, 1)
    example = torch.rand(1, 3, THUMBNAIL, THUMBNAIL) ** 2 * 0.8 * tint
    torch.onnx.export(correction, (example,), file, input_names=['thumbnail'], output_names=OUTPUTS, opset_version=OPSET, dynamo=False)
    simplified(file)
    onnx.checker.check_model(onnx.load(file))
    with torch.no_grad():
        wanted = correction(example)
    made = onnxruntime.InferenceSession(file).run(None, {'thumbnail': example.numpy()})
    for name, a, b in zip(OUTPUTS, wanted, made):
        print(name, list(b.shape), 'greatest difference to PyTorch', float(np.abs(a.numpy() - b).max()))
    about = {
        'name': 'tone',
        'version': options.version,
        'file': file.name,
        'thumbnail': THUMBNAIL,
        'zone': ZONE,
        'channels': 'RGB',
        'sha256': hashlib.sha256(file.read_bytes()).hexdigest(),
        'parameters': sum(parameter.numel() for parameter in correction.parameters()),
        'trainedOn': 'photographs under free licences, listed in tools/train',
        'license': 'Apache-2.0',
    }
    (options.out / 'model.json').write_text(json.dumps(about, indent=2) + '\n')


if __name__ == '__main__':
    main()
