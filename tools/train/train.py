"""Trains a network on one CPU core. A run that is stopped goes on from its checkpoint.

  python train.py TASK DATA RUN --steps N --decay D [--until STEP] [--start FILE] [--peak RATE]

TASK is fast, colours (the colours of fast) or restore. DATA is the output folder of prepare.py. RUN receives
checkpoint.pt and log.csv. The learning rate warms up, stays, and falls to nearly zero over the last D steps, where the
loss is the peak signal-to-noise ratio itself. A second process prepares the pictures of the next steps. They depend on
the seed and the step alone, so a continued run sees the same pictures as an unbroken one.
"""

import argparse
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from degrade import damage, degrade, halve, jpeg, noisy
from exported import take_weights
from network import TO_CHROMA, FastNetwork, change
from restore_network import RestoreNetwork

SEED = 2026
BATCH = 16
PEAK_RATE = 1e-3
# Share of the peak at the last step
LAST_RATE = 1e-3
WARM_UP = 300
AVERAGING = 0.999
# Steps that are prepared in advance
AHEAD = 4
LUMA = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)


def to_tensor(pictures: np.ndarray) -> Tensor:
    stacked = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    return stacked.contiguous(memory_format=torch.channels_last)


def turned(picture: np.ndarray, way: int) -> np.ndarray:
    """One of the eight ways to flip and turn a square."""
    picture = np.rot90(picture, way % 4)
    return np.ascontiguousarray(picture[:, ::-1] if way >= 4 else picture)


def psnr(mse: Tensor) -> Tensor:
    return -10 * torch.log10(mse)


def luma(pixels: Tensor) -> Tensor:
    return (pixels * LUMA).sum(1, keepdim=True)


def chroma(pixels: Tensor) -> Tensor:
    """Cb and Cr (ITU-R BT.601), without an offset."""
    return change(pixels, TO_CHROMA)


def early_loss(error: Tensor) -> Tensor:
    planes = zip((luma(error), chroma(error)), (1, 0.7))
    return sum(weight * torch.sqrt(plane**2 + 1e-6).mean() for plane, weight in planes) * 10


def late_loss(error: Tensor) -> Tensor:
    """Minus the mean PSNR of luma, and half that of chroma. The offsets limit the weight of flat patches."""
    brightness = psnr((luma(error) ** 2).mean((1, 2, 3)) + 2e-5).mean()
    return 0.5 * chroma_loss(error) - brightness


def chroma_loss(error: Tensor) -> Tensor:
    """Minus the mean PSNR of chroma."""
    return -psnr((chroma(error) ** 2).mean((1, 2, 3)) + 1e-5).mean()


@dataclass(frozen=True)
class Task:
    """A network, the pictures that it learns from, and the judgement of its results."""

    network: type[nn.Module]
    # Returns a damaged copy of a patch
    damage: Callable[[np.ndarray, np.random.Generator], np.ndarray]
    # Side of the crops that the network receives, and the pixels at its edges that the loss ignores
    crop: int
    border: int
    # The damages of the validation patches
    validation: tuple[Callable[[np.ndarray], np.ndarray], ...]
    # The only part that learns; empty: all parts
    part: str = ''
    # The loss until the decay, and from then on
    losses: tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]] = (early_loss, late_loss)
    # The planes of the validation's PSNR
    judged: Callable[[Tensor], Tensor] = luma


def halved_jpeg(patch: np.ndarray) -> np.ndarray:
    return jpeg(halve(patch, Image.Resampling.BOX), 75, 2)


def jpeg_75(patch: np.ndarray) -> np.ndarray:
    return jpeg(patch, 75, 2)


def noise_8(patch: np.ndarray) -> np.ndarray:
    return noisy(patch, 8, np.random.default_rng(int(patch[::16, ::16].sum())))


TASKS = {
    'fast': Task(FastNetwork, degrade, 64, 4, (halved_jpeg,)),
    'colours': Task(
        FastNetwork, degrade, 64, 4, (halved_jpeg,), 'colours', losses=(chroma_loss, chroma_loss), judged=chroma
    ),
    'restore': Task(RestoreNetwork, damage, 96, 8, (jpeg_75, noise_8)),
}


def pictures(name: str, file: Path, step: int) -> tuple[np.ndarray, np.ndarray]:
    """The damaged and the original crops of a step, uint8."""
    task, patches = TASKS[name], np.load(file, mmap_mode='r')
    rng = np.random.default_rng([SEED, step])
    damaged, original = [], []
    for index in rng.integers(0, len(patches), BATCH):
        patch = turned(patches[index], int(rng.integers(8)))
        bad = task.damage(patch, rng)
        # The cut after JPEG lets the network meet every position on the block grid.
        top, left = rng.integers(0, bad.shape[0] - task.crop + 1, 2)
        damaged.append(bad[top : top + task.crop, left : left + task.crop])
        top, left, side = (task.network.SCALE * length for length in (top, left, task.crop))
        original.append(patch[top : top + side, left : left + side])
    return np.stack(damaged), np.stack(original)


def prepared(name: str, file: Path, steps: range) -> Iterator[tuple[Tensor, Tensor]]:
    """The tensors of each step. Another process prepares a few steps ahead."""
    with ProcessPoolExecutor(1) as pool:
        ahead = deque()
        for step in steps:
            while len(ahead) < AHEAD and step + len(ahead) < steps.stop:
                ahead.append(pool.submit(pictures, name, file, step + len(ahead)))
            yield tuple(to_tensor(crops) for crops in ahead.popleft().result())


def rate(step: int, steps: int, decay: int) -> float:
    """The learning rate of a step, as a share of its peak."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    if step < steps - decay:
        return 1
    through = (step - (steps - decay)) / decay
    return LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * through))


@torch.no_grad()
def validate(task: Task, network: nn.Module, patches: np.ndarray) -> list[float]:
    """PSNR of the judged planes on the validation patches, for each damage of the task."""
    results = []
    for damaged in task.validation:
        total = 0.0
        for start in range(0, len(patches), 20):
            original = np.array(patches[start : start + 20])
            result = network(to_tensor(np.stack([damaged(patch) for patch in original])))
            error = task.judged(result.clamp(0, 1) - to_tensor(original))[..., 8:-8, 8:-8]
            total += psnr((error**2).mean((1, 2, 3)) + 1e-8).sum().item()
        results.append(total / len(patches))
    return results


def save(path: Path, state: dict) -> None:
    torch.save(state, path.with_suffix('.part'))
    os.replace(path.with_suffix('.part'), path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('task', choices=TASKS)
    parser.add_argument('data', type=Path)
    parser.add_argument('run', type=Path)
    parser.add_argument('--steps', type=int, required=True)
    parser.add_argument('--decay', type=int, required=True)
    parser.add_argument('--until', type=int, help='the step to stop at, where that is before the last one')
    parser.add_argument('--width', type=int, nargs='+', default=[], help='arguments of the network, other than its own')
    parser.add_argument('--start', type=Path, help='the exported network to start from')
    parser.add_argument('--peak', type=float, default=PEAK_RATE, help='the learning rate before it falls')
    parser.add_argument('--every', type=int, default=500)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    options.run.mkdir(parents=True, exist_ok=True)
    validation = np.load(options.data / 'validation.npy', mmap_mode='r')
    task = TASKS[options.task]
    border = task.network.SCALE * task.border

    network = task.network(*options.width).to(memory_format=torch.channels_last)
    if options.start is not None:
        take_weights(network, options.start)
    for name, value in network.named_parameters():
        value.requires_grad_(value.requires_grad and name.startswith(task.part))
    learning = [value for value in network.parameters() if value.requires_grad]
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGING)
    )
    optimiser = torch.optim.AdamW(learning, options.peak, betas=(0.9, 0.99), weight_decay=0)
    checkpoint, step, seconds = options.run / 'checkpoint.pt', 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        network.load_state_dict(state['network'])
        average.load_state_dict(state['average'])
        optimiser.load_state_dict(state['optimiser'])
        step, seconds = state['step'], state['seconds']

    started, losses = time.process_time(), []
    last = options.steps if options.until is None else options.until
    for small, large in prepared(options.task, options.data / 'train.npy', range(step, last)):
        decaying = step >= options.steps - options.decay
        for group in optimiser.param_groups:
            group['lr'] = options.peak * rate(step, options.steps, options.decay)
        with torch.autocast('cpu', torch.bfloat16):
            result = network(small)
        inner = slice(border, -border)
        loss = task.losses[decaying]((result - large)[..., inner, inner])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        average.update_parameters(network)
        losses.append(loss.item())
        step += 1
        if step % options.every == 0 or step == last:
            results = validate(task, average.module, validation)
            used = seconds + time.process_time() - started
            new = not (options.run / 'log.csv').exists()
            with open(options.run / 'log.csv', 'a') as log:
                if new:
                    log.write(f'step,loss,{",".join(damaged.__name__ for damaged in task.validation)},cpu_seconds\n')
                measured = ','.join(f'{result:.3f}' for result in results)
                log.write(f'{step},{np.mean(losses):.4f},{measured},{used:.0f}\n')
            losses = []
            parts = {'network': network, 'average': average, 'optimiser': optimiser}
            states = {name: part.state_dict() for name, part in parts.items()}
            save(checkpoint, {**states, 'task': options.task, 'step': step, 'seconds': used, 'width': options.width})


if __name__ == '__main__':
    main()
