"""A network that estimates the light of a photograph from histograms of its colours.

A cast moves all colours of a picture by the same distance in log-chroma. So the network slides a learned pattern over
each histogram, adds what it knows of frequent lights, and takes the mean of the likely lights. Low sun does the same to
a landscape, and its light must stay. So a gate reads where the colours lie, and takes back what it doubts.
"""

import math
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as functional

from model import LUMA, STATISTICS, faded, linear, statistics

# Histograms of log(R/G) and log(B/G) in linear light: number of bins for each axis, and their width
BINS = 36
WIDTH = 0.1
REACH = 14
# Side of the pictures that are counted
SIDE = 32
PADDED = 64
MAPS = 3
# How many learned tables of frequent lights the statistics of a picture choose from
PRIORS = 16
CENTRES = (torch.arange(BINS) - (BINS - 1) / 2) * WIDTH
# Casts below this distance in log-chroma vanish. Greater ones lose the less, the greater they are.
CAST_ZONE = 0.05
ROWS = 4
# Statistics, four figures of each row of a picture, and the chroma of its dark, middle and bright parts
SEEN = STATISTICS + 4 * ROWS + 6


def counted(light: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A weighted histogram [n, BINS, BINS] of colours [n, 3, m]; each colour is shared between four bins."""
    logs = torch.log(light.clamp(min=1e-3))
    limit = float(CENTRES[-1])
    red, blue = ((logs[:, c] - logs[:, 1]).clamp(-limit, limit) for c in (0, 2))
    if torch.onnx.is_in_onnx_export():
        shares = [(1 - (at[:, :, None] - CENTRES).abs() / WIDTH).clamp(0) for at in (red, blue)]
        counts = torch.matmul((shares[0] * weight[:, :, None]).transpose(1, 2), shares[1])
    else:
        counts = summed(red, blue, weight)
    return (counts / (counts.sum((1, 2), keepdim=True) + 1e-3)).sqrt()


def summed(red: torch.Tensor, blue: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The same sums as the product of shares, in less time."""
    n = len(red)
    places = [at / WIDTH + (BINS - 1) / 2 for at in (red, blue)]
    whole = [place.floor().clamp(0, BINS - 2) for place in places]
    over = [place - low for place, low in zip(places, whole)]
    base = torch.arange(n)[:, None] * BINS * BINS + whole[0].long() * BINS + whole[1].long()
    counts = torch.zeros(n * BINS * BINS)
    for i in (0, 1):
        for j in (0, 1):
            share = (over[0] if i else 1 - over[0]) * (over[1] if j else 1 - over[1]) * weight
            counts += torch.bincount((base + i * BINS + j).flatten(), share.flatten(), n * BINS * BINS)
    return counts.reshape(n, BINS, BINS)


def histograms(x: torch.Tensor) -> torch.Tensor:
    """Three histograms [n, 3, BINS, BINS] of pictures [n, 3, h, w]: all colours, bright ones, and edges."""
    light = linear(x)
    flat = light.flatten(2)
    peak = x.flatten(2).amax(1)
    sound = (peak < 0.985).float() * (flat.amin(1) / 0.004).clamp(0, 1)
    luma = (flat * torch.tensor(LUMA).view(1, 3, 1)).sum(1)
    bright = sound * (luma / (luma.mean(1, keepdim=True) + 0.01)) ** 2
    across, down = (light[:, :, :-1, 1:] - light[:, :, :-1, :-1]).abs(), (light[:, :, 1:, :-1] - light[:, :, :-1, :-1]).abs()
    edges = (across + down).flatten(2)
    return torch.stack([counted(flat, sound), counted(flat, bright), counted(edges + 2e-4, edges.mean(1))], 1)


def seen_of(x: torch.Tensor) -> torch.Tensor:
    """What the network sees [n, SEEN] besides the histograms: an open sky differs from a room by where its light lies."""
    light = linear(x)
    logs = torch.log(light + 4e-3)
    chroma = torch.stack([(logs[:, c] - logs[:, 1]).clamp(-2, 2) for c in (0, 2)], 1)
    luma = (light * torch.tensor(LUMA).view(1, 3, 1, 1)).sum(1)
    tone = (luma + 1e-3) ** (1 / 3)
    steps = (tone[:, 1:, 1:] - tone[:, :-1, :-1]).abs() + (tone[:, 1:, :-1] - tone[:, :-1, 1:]).abs()
    rough = functional.pad(steps[:, None], (0, 1, 0, 1), mode='replicate')
    planes = torch.cat([chroma, tone[:, None], 5 * rough], 1)
    rows = planes.reshape(len(x), 4, ROWS, x.shape[2] // ROWS, x.shape[3]).mean((3, 4)).flatten(1)
    relative = luma / (luma.mean((1, 2), keepdim=True) + 0.01)
    parts = [(1 - 2 * relative).clamp(0), (1 - (relative - 1).abs()).clamp(0), (relative - 1).clamp(0, 2)]
    weight = torch.stack(parts, 1).flatten(2)
    weight = weight / (weight.sum(2, keepdim=True) + 4)
    tints = torch.matmul(weight, chroma.flatten(2).transpose(1, 2)).flatten(1)
    return torch.cat([statistics(x), rows, tints], 1)


def waves(places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines above sines [2 * PADDED, m] and, for the other axis, the half that real maps need [PADDED + 2, m]."""
    angle = 2 * math.pi / PADDED * torch.arange(PADDED)[:, None] * places
    half = angle[: PADDED // 2 + 1]
    return torch.cat([angle.cos(), angle.sin()]), torch.cat([half.cos(), half.sin()])


OF_BINS = waves(torch.arange(BINS))
OF_PATTERN = waves(torch.arange(-REACH, REACH + 1))


def spectrum(maps: torch.Tensor, of: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Real and imaginary part of a Fourier transform of maps [..., h, w]."""
    products = torch.matmul(torch.matmul(of[0], maps), of[1].T)
    (cc, cs), (sc, ss) = (row.split(PADDED // 2 + 1, -1) for row in products.split(PADDED, -2))
    return cc - ss, -cs - sc


def slid(counts: torch.Tensor, patterns: torch.Tensor) -> torch.Tensor:
    """The fit of each pattern [p, MAPS, ...] at each place of the histograms: [n, p, BINS, BINS].

    Products in a Fourier transform take less time than a convolution, in the training and in the ONNX file.
    """
    (a, b), (c, d) = spectrum(counts[:, None], OF_BINS), spectrum(patterns, OF_PATTERN)
    real, imaginary = (a * c + b * d).sum(2), (b * c - a * d).sum(2)
    turned = torch.cat([torch.cat([real, -imaginary], -1), torch.cat([-imaginary, -real], -1)], -2)
    twice = torch.ones(PADDED // 2 + 1)
    twice[1:-1] = 2
    return torch.matmul(torch.matmul(OF_BINS[0].T, turned), OF_BINS[1] * torch.cat([twice, twice])[:, None] / PADDED**2)


class Balance(nn.Module):
    """From histograms and statistics to the colour of the light."""

    def __init__(self, dropout: float = 0.0, width: int = 64):
        super().__init__()
        self.register_buffer('mean', torch.zeros(SEEN))
        self.register_buffer('scale', torch.ones(SEEN))
        self.pattern = nn.Parameter(torch.zeros(1, MAPS, 2 * REACH + 1, 2 * REACH + 1))
        centre = torch.exp(-(CENTRES[:, None] ** 2 + CENTRES[None] ** 2) / 0.02).flatten()
        self.priors = nn.Parameter(0.01 * torch.randn(PRIORS + 1, BINS * BINS))
        with torch.no_grad():
            self.priors[0] += centre
        self.dropout = nn.Dropout(dropout)
        self.first = nn.Linear(SEEN, width)
        self.second = nn.Linear(width, PRIORS + 1)
        # The gate also sees the light and its distance.
        self.doubt = nn.Linear(SEEN + 3, 48)
        self.gate = nn.Linear(48, 1)
        nn.init.zeros_(self.gate.weight)
        nn.init.constant_(self.gate.bias, 3.0)

    def forward(self, fit: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """The light [n, 2] as log(R/G) and log(B/G), of the pattern's fit and statistics; zeros are daylight."""
        seen = (seen - self.mean) / self.scale
        context = self.second(self.dropout(functional.leaky_relu(self.first(seen), 0.1)))
        evidence = 8 * fit.flatten(1)
        frequent = self.priors[0] + torch.matmul(context[:, 1:], self.priors[1:])
        score = evidence * torch.exp(0.5 * torch.tanh(context[:, :1])) + 8 * frequent
        likely = torch.softmax(score, 1).reshape(-1, BINS, BINS)
        light = torch.stack([(likely.sum(2) * CENTRES).sum(1), (likely.sum(1) * CENTRES).sum(1)], 1)
        judged = torch.cat([seen, 3 * light, 3 * light.pow(2).sum(1, keepdim=True).add(1e-8).sqrt()], 1)
        return light * torch.sigmoid(self.gate(self.dropout(functional.leaky_relu(self.doubt(judged), 0.1))))


def gains_of(light: torch.Tensor, zone: float = CAST_ZONE) -> torch.Tensor:
    """Log gains [n, 3] against a light [n, 2], without what the zone takes."""
    light = light * faded(light.pow(2).sum(1, keepdim=True).add(1e-8).sqrt(), zone)
    return torch.cat([-light[:, :1], torch.zeros_like(light[:, :1]), -light[:, 1:]], 1)


class Lights(nn.Module):
    """The log gains [n, 3] that one or more networks propose for pictures, without small ones."""

    def __init__(self, networks: list[Balance], zone: float = CAST_ZONE):
        super().__init__()
        self.networks, self.zone = nn.ModuleList(networks), zone

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Single pixels, as the training sees them: means would blur edges.
        step = max(1, int(x.shape[2]) // SIDE)
        x = x[:, :, ::step, ::step]
        counts, seen = histograms(x), seen_of(x)
        fits = slid(counts, torch.cat([network.pattern for network in self.networks]))
        found = [network(fits[:, i], seen) for i, network in enumerate(self.networks)]
        return gains_of(torch.stack(found).mean(0), self.zone)


def lights_of(files: list[Path]) -> Lights:
    """The networks of some balance.pt."""
    networks = []
    for file in files:
        network = Balance()
        network.load_state_dict(torch.load(file, map_location='cpu')['weights'])
        networks.append(network.eval())
    return Lights(networks)
