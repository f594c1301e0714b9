"""Trains the `fast` network on one CPU core; a run that is stopped goes on from its checkpoint.

  python train.py DATA RUN --steps N --decay D [--until STEP]

DATA is what prepare.py wrote; RUN receives checkpoint.pt and log.csv. The learning rate warms up, stays, and falls
to nearly zero over the last D steps, where the loss is the peak signal-to-noise ratio itself.
Every step's pictures depend on the seed and the step alone, so a resumed run sees what an unbroken one would have.
"""

import argparse
import math
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from degrade import degrade, halve, jpeg
from network import FastNetwork
from PIL import Image

SEED = 2026
BATCH = 16
CROP = 64
BORDER = 4
PEAK_RATE = 1e-3
LAST_RATE = 1e-6
WARM_UP = 300
AVERAGING = 0.999
LUMA = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)


def to_tensor(pictures: list[np.ndarray]) -> Tensor:
    stacked = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 255
    return stacked.contiguous(memory_format=torch.channels_last)


def turned(picture: np.ndarray, way: int) -> np.ndarray:
    """One of the eight ways to flip and turn a square."""
    picture = np.rot90(picture, way % 4)
    return np.ascontiguousarray(picture[:, ::-1] if way >= 4 else picture)


def batch(patches: np.ndarray, step: int) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng([SEED, step])
    small, large = [], []
    for index in rng.integers(0, len(patches), BATCH):
        patch = turned(patches[index], int(rng.integers(8)))
        reduced = degrade(patch, rng)
        # The cut after JPEG lets the network meet every position on the block grid.
        top, left = rng.integers(0, reduced.shape[0] - CROP + 1, 2)
        small.append(reduced[top : top + CROP, left : left + CROP])
        large.append(patch[2 * top : 2 * (top + CROP), 2 * left : 2 * (left + CROP)])
    return to_tensor(small), to_tensor(large)


def psnr(mse: Tensor) -> Tensor:
    return -10 * torch.log10(mse)


def early_loss(error: Tensor) -> Tensor:
    luma = (error * LUMA).sum(1, keepdim=True)
    return (torch.sqrt(luma**2 + 1e-6).mean() + 0.3 * torch.sqrt(error**2 + 1e-6).mean()) * 10


def late_loss(error: Tensor) -> Tensor:
    """Minus the mean PSNR, chiefly of luma; the offset keeps flat patches from ruling."""
    luma = (error * LUMA).sum(1)
    return -(psnr((luma**2).mean((1, 2)) + 1e-4) + 0.3 * psnr((error**2).mean((1, 2, 3)) + 1e-4)).mean()


def rate(step: int, steps: int, decay: int) -> float:
    if step < WARM_UP:
        return PEAK_RATE * (step + 1) / WARM_UP
    if step < steps - decay:
        return PEAK_RATE
    through = (step - (steps - decay)) / decay
    return LAST_RATE + (PEAK_RATE - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * through))


@torch.no_grad()
def validate(network: FastNetwork, patches: np.ndarray) -> tuple[float, float]:
    """PSNR-Y of the network and of bicubic on patches halved by area, then JPEG 75."""
    totals = np.zeros(2)
    for start in range(0, len(patches), 20):
        large = [np.asarray(patch) for patch in patches[start : start + 20]]
        small = to_tensor([jpeg(halve(patch, Image.Resampling.BOX), 75, 2) for patch in large])
        truth = to_tensor(large)
        bicubic = torch.nn.functional.pixel_shuffle(network.bicubic(small), 2)
        for at, result in enumerate((network(small), bicubic)):
            error = ((result.clamp(0, 1) - truth) * LUMA).sum(1)[:, 8:-8, 8:-8]
            totals[at] += psnr((error**2).mean((1, 2)) + 1e-8).sum().item()
    return tuple(totals / len(patches))


def save(path: Path, state: dict) -> None:
    torch.save(state, path.with_suffix('.part'))
    os.replace(path.with_suffix('.part'), path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('data', type=Path)
    parser.add_argument('run', type=Path)
    parser.add_argument('--steps', type=int, required=True)
    parser.add_argument('--decay', type=int, required=True)
    parser.add_argument('--until', type=int, help='the step to stop at, where that is before the last one')
    parser.add_argument('--width', type=int, nargs=4, default=[32, 64, 6, 2])
    parser.add_argument('--every', type=int, default=500)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    options.run.mkdir(parents=True, exist_ok=True)
    train, validation = (np.load(options.data / f'{name}.npy', mmap_mode='r') for name in ('train', 'validation'))

    network = FastNetwork(*options.width).to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGING)
    )
    optimiser = torch.optim.AdamW(network.parameters(), PEAK_RATE, betas=(0.9, 0.99), weight_decay=0)
    checkpoint, step, seconds = options.run / 'checkpoint.pt', 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        network.load_state_dict(state['network'])
        average.load_state_dict(state['average'])
        optimiser.load_state_dict(state['optimiser'])
        step, seconds = state['step'], state['seconds']

    started, losses = time.process_time(), []
    last = options.steps if options.until is None else options.until
    while step < last:
        decaying = step >= options.steps - options.decay
        for group in optimiser.param_groups:
            group['lr'] = rate(step, options.steps, options.decay)
        small, large = batch(train, step)
        with torch.autocast('cpu', torch.bfloat16):
            result = network(small)
        inner = slice(2 * BORDER, -2 * BORDER)
        loss = (late_loss if decaying else early_loss)((result - large)[..., inner, inner])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        average.update_parameters(network)
        losses.append(loss.item())
        step += 1
        if step % options.every == 0 or step == last:
            ours, bicubic = validate(average.module, validation)
            used = seconds + time.process_time() - started
            new = not (options.run / 'log.csv').exists()
            with open(options.run / 'log.csv', 'a') as log:
                if new:
                    log.write('step,loss,psnr,bicubic_psnr,cpu_seconds\n')
                log.write(f'{step},{np.mean(losses):.4f},{ours:.3f},{bicubic:.3f},{used:.0f}\n')
            losses = []
            parts = {'network': network, 'average': average, 'optimiser': optimiser}
            states = {name: part.state_dict() for name, part in parts.items()}
            save(checkpoint, {**states, 'step': step, 'seconds': used, 'width': options.width})


if __name__ == '__main__':
    main()
