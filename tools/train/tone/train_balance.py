"""Trains the network that estimates the light of a photograph.

  python train_balance.py DATA OUT [--steps N] [--seed N] [setting=value ...]

DATA is the file of data.py. OUT is a folder: the script writes balance.pt and balance.csv. A seed determines every
random choice.
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

from balance import Balance, histograms, seen_of, slid
from data import WEIGHTS
from degrade import SHARES, cast_by, damaged, in_low_sun, jittered, lights, on_white, under_sky, with_expanse
from train import Pictures

SETTINGS = {
    'samples': 60000,
    'chunk': 100,
    'batch': 96,
    'side': 32,
    'rate': 4e-3,
    # Shares of the samples: objects and pages on white, special scenes, good photographs, and damaged ones without a cast
    'white': 0.06,
    'special': 0.26,
    # Shares of the special scenes: made landscapes under a coloured sky, and pictures in low sun
    'skies': 0.25,
    'low_sun': 0.15,
    'good': 0.2,
    'neutral': 0.12,
    # Shares of the good and of the others with a wide area of one colour
    'held_expanses': 0.5,
    'expanses': 0.1,
    # Weight of the pictures without a cast, of special scenes and wide areas, and of made landscapes
    'hold': 1.0,
    'hold_special': 5.0,
    'hold_skies': 1.5,
    # Errors below this distance count less than linearly
    'ease': 0.05,
    # Roughness of patterns and tables of lights
    'smooth': 3e-3,
    # How often a sunset is drawn, relative to other special scenes
    'sunsets': 4.0,
    'dropout': 0.15,
    'jitter': 1.0,
}
KEEP = 0.998
EVERY = 250


def samples(pictures: Pictures, settings: dict) -> tuple[torch.Tensor, ...]:
    """Histograms, statistics, light and weight of some pictures. Those of light 0 have no cast."""
    n, side = settings['chunk'], settings['side']
    white, special, good, neutral = (round(n * settings[name]) for name in ('white', 'special', 'good', 'neutral'))
    t = jittered(pictures.draw(n - special, side), settings['jitter'])
    t[:white] = on_white(t[:white])
    skies, low_sun = (round(special * settings[name]) for name in ('skies', 'low_sun'))
    scenes = pictures.draw(special, side, pictures.special)
    scenes[:skies] = under_sky(pictures.draw(skies, side))
    scenes[skies : skies + low_sun] = in_low_sun(pictures.draw(low_sun, side, pictures.warm))
    scenes = jittered(scenes, 0.5 * settings['jitter'])
    # A wide area of one colour is seldom under a cast, so these pictures must stay more often.
    wide = round(good * settings['held_expanses'])
    t[white : white + wide] = with_expanse(t[white : white + wide], 1.0)
    held = torch.cat([scenes, t[: white + good]])
    rest = with_expanse(t[white + good :], settings['expanses'])
    light = lights(len(rest))
    light[:neutral] = 0
    # Half of the casts are the only fault.
    plain = neutral + (len(rest) - neutral) // 2
    shares = {name: 0.7 * share for name, share in SHARES.items()}
    others = torch.cat([rest[:neutral], rest[plain:]])
    other_light = torch.cat([light[:neutral], light[plain:]])
    x = torch.cat([held, cast_by(rest[neutral:plain], light[neutral:plain]), damaged(others, shares, 0.3, other_light)])
    x = (x.clamp(0, 1) * 255).round() / 255
    light = torch.cat([torch.zeros(len(held), 2), light[neutral:plain], other_light])
    weight = torch.where(light.abs().sum(1) == 0, settings['hold'], 1.0)
    weight[:special] = settings['hold_special']
    weight[:skies] = settings['hold_skies']
    weight[special + white : special + white + wide] = settings['hold_special']
    return histograms(x).half(), seen_of(x), light, weight


def roughness(maps: torch.Tensor) -> torch.Tensor:
    return (maps[..., 1:, :] - maps[..., :-1, :]).pow(2).sum() + (maps[..., 1:] - maps[..., :-1]).pow(2).sum()


def train(bank: list[torch.Tensor], out: Path, settings: dict, steps: int, seed: int) -> nn.Module:
    counts, seen, light, weight = bank
    held = light.abs().sum(1) == 0
    network = Balance(settings['dropout'])
    network.mean.copy_(seen.mean(0))
    network.scale.copy_(seen.std(0).clamp(min=0.02))
    average = deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings['rate'], weight_decay=1e-3)
    started, rows = time.process_time(), []
    with open(out / 'balance.csv', 'w', newline='') as file:
        log = csv.writer(file, lineterminator='\n')
        log.writerow(['step', 'cast', 'held', 'cpu_seconds'])
        for step in range(1, steps + 1):
            rate = settings['rate'] * min(1, step / 100) * (0.5 * (1 + math.cos(math.pi * step / steps)) + 0.005)
            for group in optimiser.param_groups:
                group['lr'] = rate
            at = torch.randint(len(light), (settings['batch'],))
            fit = slid(counts[at].float(), network.pattern)[:, 0]
            error = (network(fit, seen[at]) - light[at]).pow(2).sum(1).add(1e-6).sqrt()
            side = round(network.priors.shape[1] ** 0.5)
            rough = roughness(network.pattern) + roughness(network.priors.reshape(-1, side, side))
            loss = (weight[at] * error**2 / (error + settings['ease'])).mean() + settings['smooth'] * rough
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            keep = min(KEEP, step / (step + 10))
            with torch.no_grad():
                for mine, theirs in zip(average.parameters(), network.parameters()):
                    mine.lerp_(theirs, 1 - keep)
            rows.append([error[~held[at]].mean().item(), error[held[at]].mean().item()])
            if step % EVERY == 0:
                log.writerow([step, *(f'{value:.4f}' for value in np.mean(rows, 0)), round(time.process_time() - started)])
                file.flush()
                rows = []
    average.eval()
    torch.save({'weights': average.state_dict(), 'settings': settings, 'seed': seed, 'steps': steps}, out / 'balance.pt')
    return average


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('data', type=Path)
    parser.add_argument('out', type=Path)
    parser.add_argument('--steps', type=int, default=6000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('settings', nargs='*')
    options = parser.parse_intermixed_args()
    settings = dict(SETTINGS)
    for item in options.settings:
        name, value = item.split('=')
        settings[name] = type(SETTINGS[name])(value)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    pictures = Pictures(options.data, WEIGHTS['headshot'], settings['sunsets'])
    options.out.mkdir(parents=True, exist_ok=True)
    made = [samples(pictures, settings) for _ in range(settings['samples'] // settings['chunk'])]
    train([torch.cat(parts) for parts in zip(*made)], options.out, settings, options.steps, options.seed)


if __name__ == '__main__':
    main()
