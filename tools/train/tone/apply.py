"""Applies a trained correction to pictures of any size, as the product does: three tables and a matrix."""

from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from PIL import Image

from balance import SIDE
from model import THUMBNAIL, ZONE, Mean, Tone, balanced, change, curved, faded, parts, statistics, whole


def loaded(files: list[Path]) -> nn.Module:
    """The mean of the networks of some weights.pt."""
    networks = []
    for file in files:
        state = torch.load(file, map_location='cpu')
        network = Tone()
        network.load_state_dict(state['weights'])
        networks.append(network.eval())
    return Mean(networks)


class Correction(nn.Module):
    """From a thumbnail to what is applied: tables, a matrix, and figures that describe the change."""

    def __init__(self, lights: nn.Module, network: nn.Module, zone: float = ZONE, step: int = THUMBNAIL // SIDE):
        super().__init__()
        self.lights, self.network, self.zone = lights, network, zone
        self.step = step
        self.register_buffer('levels', (torch.arange(256) / 255).expand(1, 3, 256).clone())

    def forward(self, thumbnail: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Thumbnail [1, 3, 64, 64] to tables [3, 256], matrix [3, 3], gains of the white balance [3] and change [2].

        The change is the mean difference (CIELAB) of the whole correction, and the strength that is applied, 0 to 1.
        """
        # Every second pixel, because the networks learned from pictures of this size
        seen = thumbnail[:, :, :: self.step, :: self.step]
        light = self.lights(seen)
        parameters = whole(self.network(statistics(balanced(seen, light))), light)
        amount = change(seen, parameters)
        strength = faded(amount, self.zone) if self.zone else torch.ones_like(amount)
        gains, slopes, offset, matrix = parts(parameters, strength)
        tables = curved(self.levels, gains, slopes, offset)
        return tables[0], matrix[0], gains[0], torch.cat([amount[0], strength[0]])


def thumbnail(picture: np.ndarray, kind: Image.Resampling = Image.Resampling.BOX) -> torch.Tensor:
    small = np.asarray(Image.fromarray(picture).resize((THUMBNAIL, THUMBNAIL), kind))
    return torch.from_numpy(small.astype(np.float32) / 255).permute(2, 0, 1)[None]


def applied(picture: np.ndarray, tables: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """A uint8 picture [h, w, 3] after tables and matrix."""
    values = np.stack([tables[c][picture[..., c]] for c in range(3)], -1) @ matrix.T
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def correct(correction: Correction, picture: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        tables, matrix, _, change_made = correction(thumbnail(picture))
    if change_made[1] == 0:
        return picture
    return applied(picture, tables.numpy(), matrix.numpy())
