"""Trains the network that corrects the tone of photographs.

  python train.py DATA OUT [--steps N] [--seed N] [setting=value ...]

DATA is the file of data.py. OUT is a folder: the script writes weights.pt and log.csv. A seed determines every random
choice. Training takes five minutes of one CPU core.
"""

import argparse
import csv
import math
import time
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

from data import WEIGHTS
from degrade import SHARES, brighter, crops, damaged, jittered, on_white, under_sky, uniform, with_expanse
from model import KNOTS, Tone, corrected, difference, lab, statistics, whole

# The settings of the shipped weights. Any of them can be changed on the command line.
SETTINGS = {
    # Samples made before the training, and how many at a time
    'samples': 60000,
    'chunk': 100,
    'batch': 96,
    'side': 32,
    # Pixels of each picture that the losses look at
    'pixels': 192,
    'rate': 3e-3,
    # Shares of a batch: objects and pages on white, special scenes, good photographs; the rest is damaged.
    'white': 0.08,
    'special': 0.14,
    # Share of the special scenes that are made landscapes under a coloured sky
    'skies': 0.3,
    # Shares of the good and of the others with a wide area of one colour
    'held_expanses': 0.3,
    'expanses': 0.15,
    'good': 0.22,
    # Weights of the losses
    'hold': 0.6,
    'hold_skies': 1.2,
    'again': 0.2,
    'order': 8.0,
    'steady': 0.1,
    'smooth': 0.005,
    'colour': 0.2,
    # Differences below this count less than linearly
    'ease': 8.0,
    # Share of the damaged pictures that have a single fault
    'single': 0.25,
    # Protection against learning by heart
    'jitter': 1.0,
    'dropout': 0.05,
    'headshots': WEIGHTS['headshot'],
    # Multiplies the share of each damage
    **{f'with_{name}': 1.0 for name in SHARES},
}
WARM_UP = 200
KEEP = 0.998
TURNS = ('again', 'order', 'steady')
COLUMNS = ('loss', 'damaged', 'held', *TURNS)
# Pictures of a batch that the loss of a second pass looks at
AGAIN = 24
EVERY = 250


class Pictures:
    """Draws pictures by kind."""

    def __init__(self, file: Path, headshots: float, sunsets: float = 1.0):
        data = np.load(file)
        self.sets = [torch.from_numpy(data[name]) for name in ('clean', 'copies')]
        kinds = data['kinds']
        weight = np.array([{**WEIGHTS, 'headshot': headshots}.get(kind, 0.0) for kind in kinds])
        self.free = torch.from_numpy(weight)
        special = [kind for kind in sorted(set(kinds)) if kind not in WEIGHTS]
        # Each special kind is as frequent as the others, whatever its number of pictures, within limits.
        shares = {kind: (kinds == kind).sum() ** 0.5 for kind in special}
        shares['sunset'] *= sunsets
        self.special = torch.from_numpy(np.array([shares[kind] / (kinds == kind).sum() if kind in shares else 0.0 for kind in kinds]))
        # Low sun lights what is golden more often than an everyday photograph.
        self.warm = torch.from_numpy(np.select([kinds == 'golden', kinds == 'sunset', kinds == 'everyday'], [1.0, 0.7, 0.05], 0.0))

    def draw(self, n: int, side: int, weights: torch.Tensor | None = None) -> torch.Tensor:
        """Pictures, half of them from their JPEG copies. The weights of free ones apply where none are given."""
        indices = torch.multinomial(self.free if weights is None else weights, n, replacement=True)
        half = n // 2
        return torch.cat([crops(self.sets[0], indices[:half], side), crops(self.sets[1], indices[half:], side)])


def weights(target: torch.Tensor) -> torch.Tensor:
    """The weight of each pixel [n, m] by its colour in CIELAB: greys and skin count more."""
    light, a, b = target[:, 0], target[:, 1], target[:, 2]
    chroma, hue = torch.hypot(a, b), torch.atan2(b, a)
    grey = torch.exp(-((chroma / 6) ** 2))
    skin = torch.exp(-(((hue - 0.9) / 0.35) ** 2)) * ((chroma > 10) & (chroma < 45) & (light > 20) & (light < 90)).float()
    return torch.maximum(grey, skin)


def eased(difference_: torch.Tensor, ease: float) -> torch.Tensor:
    """Quadratic for small differences, which the zone removes anyway. Linear ones made the network do nothing."""
    return difference_**2 / (difference_ + ease)


class Losses:
    """The losses of some samples of a bank, on a random part of their pixels."""

    def __init__(self, network: nn.Module, bank: 'Bank', settings: dict):
        self.network, self.bank, self.settings = network, bank, settings

    def main(self, indices: torch.Tensor) -> torch.Tensor:
        """Difference to the original of each picture [n]."""
        self.indices = indices
        at = torch.randperm(self.bank.x.shape[2])[: self.settings['pixels']]
        self.x = self.bank.x[indices][:, :, at].float() / 255
        goal = lab(self.bank.target[indices][:, :, at].float() / 255)
        self.parameters = whole(self.network(self.bank.seen[indices]))
        y = corrected(self.x, self.parameters)
        inside = y.clamp(0, 1)
        self.made = lab(inside)
        colour = (self.made - goal)[:, 1:].pow(2).sum(1).add(0.01).sqrt()
        per_pixel = difference(self.made, goal) + self.settings['colour'] * weights(goal) * colour
        return per_pixel.mean(1) + 20 * (y - inside).abs().mean((1, 2))

    def again(self) -> torch.Tensor:
        """The change that a second pass makes, of a part of the pictures."""
        some = self.indices[:AGAIN]
        with torch.no_grad():
            first = corrected(self.bank.x[some].float() / 255, self.parameters[:AGAIN]).clamp(0, 1)
            first = (first * 255).round() / 255
            side = round(first.shape[2] ** 0.5)
            seen = statistics(first.reshape(-1, 3, side, side))
        first = first[:, :, : self.settings['pixels']]
        return difference(lab(corrected(first, whole(self.network(seen))).clamp(0, 1)), lab(first)).mean()

    def order(self) -> torch.Tensor:
        """How much a picture with more exposure comes out darker."""
        parameters = whole(self.network(self.bank.seen_brighter[self.indices]))
        more = brighter(self.x, self.bank.stops[self.indices][:, None, None])
        darker = self.made[:, 0] - lab(corrected(more, parameters).clamp(0, 1))[:, 0]
        return darker.mean(1).add(0.3).clamp(min=0).mean() + 0.5 * darker.clamp(min=0).mean()

    def steady(self) -> torch.Tensor:
        """How much a little noise changes the correction."""
        parameters = whole(self.network(self.bank.seen_noisy[self.indices]))
        return difference(lab(corrected(self.x, parameters).clamp(0, 1)), self.made.detach()).mean()

    def smooth(self) -> torch.Tensor:
        """Second differences of the curve, which make steps in skies."""
        curve = torch.tanh(self.parameters[:, :KNOTS])
        return (curve[:, 2:] - 2 * curve[:, 1:-1] + curve[:, :-2]).pow(2).sum(1).mean() * KNOTS


def batch(pictures: Pictures, settings: dict) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    """Input, original and weight of each picture, and the number of undamaged ones, which come first."""
    n, side = settings['chunk'], settings['side']
    white, special, good = (round(n * settings[name]) for name in ('white', 'special', 'good'))
    t = jittered(pictures.draw(n - special, side), settings['jitter'])
    t[:white] = on_white(t[:white])
    t[white : white + good] = with_expanse(t[white : white + good], settings['held_expanses'])
    t[white + good :] = with_expanse(t[white + good :], settings['expanses'])
    skies = round(special * settings['skies'])
    scenes = pictures.draw(special, side, pictures.special)
    scenes[:skies] = under_sky(pictures.draw(skies, side))
    scenes = jittered(scenes, 0.5 * settings['jitter'])
    held = torch.cat([t[:white], scenes, t[white : white + good]])
    rest = t[white + good :]
    shares = {name: share * settings[f'with_{name}'] for name, share in SHARES.items()}
    target = torch.cat([held, rest])
    x = torch.cat([(held * 255).round() / 255, damaged(rest, shares, settings['single'])])
    weight = torch.ones(n)
    weight[: len(held)] = settings['hold']
    weight[:white] = 2 * settings['hold']
    weight[white : white + skies] = settings['hold_skies']
    return x, target, weight, len(held)


class Bank:
    """Samples and their statistics, made once: most of the time would go into them."""

    def __init__(self, pictures: Pictures, settings: dict):
        rows = []
        for _ in range(settings['samples'] // settings['chunk']):
            x, target, weight, holding = batch(pictures, settings)
            stops = uniform(len(x), 0.1, 0.9)
            more = (brighter(x, stops) * 255).round() / 255
            noisy = ((x + torch.randn_like(x) * uniform(len(x), 0, 0.02)).clamp(0, 1) * 255).round() / 255
            held = torch.arange(len(x)) < holding
            images = [(t * 255).round().byte().flatten(2) for t in (x, target)]
            rows.append([*images, *map(statistics, (x, more, noisy)), weight, held, stops.flatten()])
        self.x, self.target, self.seen, self.seen_brighter, self.seen_noisy, self.weight, self.held, self.stops = map(torch.cat, zip(*rows))


def train(bank: Bank, out: Path, settings: dict, steps: int, seed: int) -> nn.Module:
    network = Tone(settings['dropout'])
    network.mean.copy_(bank.seen.mean(0))
    network.scale.copy_(bank.seen.std(0).clamp(min=0.02))
    average = deepcopy(network)
    losses = Losses(network, bank, settings)
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings['rate'], weight_decay=1e-4)
    started, sums = time.process_time(), {}
    with open(out / 'log.csv', 'w', newline='') as file:
        log = csv.writer(file, lineterminator='\n')
        log.writerow(['step', *COLUMNS, 'cpu_seconds'])
        for step in range(1, steps + 1):
            rate = settings['rate'] * min(1, step / WARM_UP) * (0.5 * (1 + math.cos(math.pi * step / steps)) + 0.005)
            for group in optimiser.param_groups:
                group['lr'] = rate
            indices = torch.randint(len(bank.x), (settings['batch'],))
            each, held = losses.main(indices), bank.held[indices]
            loss = (eased(each, settings['ease']) * bank.weight[indices]).mean() + settings['smooth'] * losses.smooth()
            found = {'damaged': each[~held].mean(), 'held': each[held].mean()}
            # One of the other losses is worked out in each step, so it counts for all of them.
            turn = TURNS[step % len(TURNS)]
            found[turn] = getattr(losses, turn)()
            loss = loss + len(TURNS) * settings[turn] * found[turn]
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            keep = min(KEEP, step / (step + 10))
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), network.parameters()):
                    mine.lerp_(theirs, 1 - keep)
            for name, value in {'loss': loss, **found}.items():
                sums.setdefault(name, []).append(value.item())
            if step % EVERY == 0:
                means = [f'{np.mean(sums[name]):.3f}' for name in COLUMNS]
                log.writerow([step, *means, round(time.process_time() - started)])
                file.flush()
                sums = {}
    average.eval()
    torch.save({'weights': average.state_dict(), 'settings': settings, 'seed': seed, 'steps': steps}, out / 'weights.pt')
    return average


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('data', type=Path)
    parser.add_argument('out', type=Path)
    parser.add_argument('--steps', type=int, default=14000)
    parser.add_argument('--seed', type=int, default=3)
    parser.add_argument('settings', nargs='*')
    chosen_settings = parser.parse_intermixed_args()
    settings = dict(SETTINGS)
    for item in chosen_settings.settings:
        name, value = item.split('=')
        settings[name] = type(SETTINGS[name])(value)
    torch.set_num_threads(1)
    torch.manual_seed(chosen_settings.seed)
    pictures = Pictures(chosen_settings.data, settings['headshots'])
    chosen_settings.out.mkdir(parents=True, exist_ok=True)
    train(Bank(pictures, settings), chosen_settings.out, settings, chosen_settings.steps, chosen_settings.seed)


if __name__ == '__main__':
    main()
