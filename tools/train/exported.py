"""Starts a network from the weights of an exported one."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from network import Merged


def take_weights(network: nn.Module, file: Path) -> None:
    """Copies the weights of an ONNX file that export.py wrote. Layers that the file lacks keep their own."""
    tensors = {
        tensor.name.removesuffix('.half'): torch.from_numpy(numpy_helper.to_array(tensor).astype(np.float32))
        for tensor in onnx.load(file).graph.initializer
    }
    with torch.no_grad():
        for name, layer in network.named_modules():
            if f'{name}.weight' not in tensors or f'{name}.bias' not in tensors:
                continue
            weight = tensors[f'{name}.weight']
            if isinstance(layer, Merged):
                # The branches sum to the exported weight.
                layer.wide.add_(weight - layer.weight())
            else:
                layer.weight.copy_(weight)
            layer.bias.copy_(tensors[f'{name}.bias'])
