"""A network that reads a thumbnail and predicts one global correction of a photograph's tone.

The correction is a white balance in linear light, a monotone curve of 16 pieces with small deviations of each
channel, and a colour matrix whose rows sum to one. It is applied as three tables and a matrix.
"""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as functional

KNOTS = 16
# The deviations of a channel are given at these many points of the scale.
BENDS = 5
QUANTILES = 17
THUMBNAIL = 64
# Curve, offset, white balance, matrix, deviations; then the log gains against a cast, which another network finds
SIZES = (KNOTS, 1, 3, 6, 3 * BENDS, 3)
OWN = sum(SIZES[:-1])
LUMA = (0.2126, 0.7152, 0.0722)
# Changes below this mean difference (CIELAB) vanish. Greater ones lose the less, the greater they are.
ZONE = 1.22

XYZ = torch.tensor(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
) / torch.tensor([[0.95047], [1.0], [1.08883]])


def linear(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x <= 0.04045, x / 12.92, ((x.clamp(min=1e-4) + 0.055) / 1.055) ** 2.4)


def encoded(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x <= 0.0031308, x * 12.92, 1.055 * x.clamp(min=1e-5) ** (1 / 2.4) - 0.055)


def lab(x: torch.Tensor) -> torch.Tensor:
    """CIELAB (D65) of sRGB values from 0 to 1; channels are the second dimension."""
    xyz = torch.matmul(XYZ, linear(x.clamp(0, 1)).flatten(2))
    f = torch.where(xyz > 0.008856, xyz.clamp(min=1e-5) ** (1 / 3), 7.787 * xyz + 16 / 116)
    f0, f1, f2 = f[:, 0], f[:, 1], f[:, 2]
    return torch.stack([116 * f1 - 16, 500 * (f0 - f1), 200 * (f1 - f2)], 1).reshape(x.shape)


def difference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return ((a - b).pow(2).sum(1) + 0.01).sqrt()


def ordered(values: torch.Tensor) -> torch.Tensor:
    """Sorted values. NumPy sorts ten times as fast as PyTorch, and statistics need no gradient; ONNX needs PyTorch."""
    if torch.onnx.is_in_onnx_export():
        return values.sort(2)[0]
    return torch.from_numpy(np.sort(values.detach().numpy(), axis=2))


def statistics(x: torch.Tensor) -> torch.Tensor:
    """What the network sees of pictures [n, 3, h, w]: quantiles, colours of dark to light parts, frame and centre."""
    in_lab = lab(x)
    light, ab = in_lab[:, :1] / 100, in_lab[:, 1:] / 40
    values = torch.cat([x, light], 1).flatten(2)
    at = (torch.linspace(0.005, 0.995, QUANTILES) * (values.shape[2] - 1)).round().long()
    quantiles = ordered(values)[:, :, at].flatten(1)
    chroma = ab.pow(2).sum(1, keepdim=True).add(1e-6).sqrt()
    # Mean colour of dark, middle and light parts, and of the least coloured ones
    bands = torch.cat(
        [(1 - 3 * light).clamp(0), (1 - 4 * (light - 0.5).abs()).clamp(0), (3 * light - 2).clamp(0), torch.exp(-4 * chroma)], 1
    )
    weight = bands.flatten(2) / (bands.flatten(2).sum(2, keepdim=True) + 4)
    tints = torch.matmul(weight, ab.flatten(2).transpose(1, 2)).flatten(1)
    # Illuminants as shades of grey estimates them
    bright = linear(x).flatten(2)
    illuminants = [(bright.clamp(1e-3) ** p).mean(2) ** (1 / p) for p in (1, 6)]
    ratios = torch.cat([torch.log(i[:, (0, 2)] / i[:, 1:2]) for i in illuminants], 1)
    white = (x.amin(1, keepdim=True) > 0.97).float()
    edge = x.shape[2] // 10
    frame = [(t.sum((1, 2, 3)) - t[:, :, edge:-edge, edge:-edge].sum((1, 2, 3))) for t in (white, light)]
    pixels = x.shape[2] * x.shape[3] - (x.shape[2] - 2 * edge) * (x.shape[3] - 2 * edge)
    centre = light[:, :, 2 * edge : -2 * edge, 2 * edge : -2 * edge].mean((1, 2, 3))
    flat = chroma.flatten(1)
    rest = [
        flat.mean(1),
        (flat - flat.mean(1, keepdim=True)).pow(2).mean(1).add(1e-6).sqrt(),
        white.mean((1, 2, 3)),
        (light < 0.08).float().mean((1, 2, 3)),
        (x.amax(1) > 0.98).float().mean((1, 2)),
        frame[0] / pixels,
        frame[1] / pixels,
        centre,
    ]
    return torch.cat([quantiles, ab.mean((2, 3)), tints, ratios, torch.stack(rest, 1)], 1)


STATISTICS = 4 * QUANTILES + 2 + 8 + 4 + 8


class Tone(nn.Module):
    """A perceptron from statistics to a correction."""

    def __init__(self, dropout: float = 0.0, width: int = 96):
        super().__init__()
        self.register_buffer('mean', torch.zeros(STATISTICS))
        self.register_buffer('scale', torch.ones(STATISTICS))
        self.dropout = nn.Dropout(dropout)
        self.first = nn.Linear(STATISTICS, width)
        self.second = nn.Linear(width, 64)
        self.last = nn.Linear(64, OWN + 1)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """A correction's own parameters [n, 41] for statistics [n, 90]; zeros change nothing."""
        z = self.dropout(functional.leaky_relu(self.first((seen - self.mean) / self.scale), 0.1))
        z = self.last(functional.leaky_relu(self.second(z), 0.1))
        return (0.3 + 0.7 * torch.sigmoid(z[:, -1:] + 2)) * z[:, :-1]


class Mean(nn.Module):
    """The mean of several networks."""

    def __init__(self, networks: list[nn.Module]):
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack([network(x) for network in self.networks]).mean(0)


def whole(own: torch.Tensor, light: torch.Tensor | None = None) -> torch.Tensor:
    """The parameters of a correction: a network's own, and log gains [n, 3] against a cast."""
    return torch.cat([own, torch.zeros(len(own), 3) if light is None else light], 1)


def level(logs: torch.Tensor) -> torch.Tensor:
    """Gains [n, 3] of log gains, which keep the luma of greys."""
    gains = torch.exp(logs)
    return gains / (gains * torch.tensor(LUMA)).sum(1, keepdim=True)


def balanced(x: torch.Tensor, light: torch.Tensor) -> torch.Tensor:
    """Pictures [n, 3, h, w] after log gains [n, 3] alone."""
    return encoded((linear(x) * level(light)[:, :, None, None]).clamp(0, 1)).clamp(0, 1)


def parts(parameters: torch.Tensor, strength: torch.Tensor | float = 1.0) -> tuple[torch.Tensor, ...]:
    """White balance [n, 3], slopes [n, 3, 16], offset [n, 1] and matrix [n, 3, 3] at a strength ([n, 1] or a number)."""
    curve, offset, balance, mixing, bends, light = (strength * part for part in parameters.split(SIZES, 1))
    gains = level(0.7 * torch.tanh(balance) + light)
    at = torch.linspace(0, BENDS - 1, KNOTS)
    weights = (1 - (at[None] - torch.arange(BENDS)[:, None]).abs()).clamp(0)
    bent = torch.matmul(0.5 * torch.tanh(bends.reshape(-1, 3, BENDS)), weights)
    slopes = torch.exp(2.2 * torch.tanh(curve)[:, None] + bent)
    m = 0.5 * torch.tanh(mixing)
    matrix = torch.stack(
        [1 - m[:, 0] - m[:, 1], m[:, 0], m[:, 1], m[:, 2], 1 - m[:, 2] - m[:, 3], m[:, 3], m[:, 4], m[:, 5], 1 - m[:, 4] - m[:, 5]], 1
    )
    return gains, slopes, 0.5 * torch.tanh(offset), matrix.reshape(-1, 3, 3)


def curved(x: torch.Tensor, gains: torch.Tensor, slopes: torch.Tensor, offset: torch.Tensor) -> torch.Tensor:
    """White balance and curves of values [n, 3, m]. Results can be outside 0 to 1."""
    lit = encoded((linear(x) * gains[:, :, None]).clamp(0, 4)).clamp(0, 1.6)
    starts = offset[:, :, None] + (slopes.cumsum(2) - slopes) / KNOTS
    piece = (lit * KNOTS).clamp(0, KNOTS - 1e-4).floor().long()
    return torch.gather(starts, 2, piece) + (lit - piece / KNOTS) * torch.gather(slopes, 2, piece)


def corrected(x: torch.Tensor, parameters: torch.Tensor, strength: torch.Tensor | float = 1.0) -> torch.Tensor:
    """Pictures [n, 3, ...] after the correction. Results can be outside 0 to 1."""
    gains, slopes, offset, matrix = parts(parameters, strength)
    return torch.matmul(matrix, curved(x.flatten(2), gains, slopes, offset)).reshape(x.shape)


def change(x: torch.Tensor, parameters: torch.Tensor) -> torch.Tensor:
    """Mean difference (CIELAB) [n, 1] that the whole correction makes."""
    y = corrected(x, parameters).clamp(0, 1)
    return difference(lab(y), lab(x)).flatten(1).mean(1, keepdim=True)


def faded(amount: torch.Tensor, zone: float = ZONE) -> torch.Tensor:
    """The strength of a correction of this amount: the non-negative garrote (Breiman, 1995), which keeps the order."""
    return (1 - (zone / amount.clamp(min=1e-3)) ** 2).clamp(0, 1)
