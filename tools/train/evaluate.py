"""Measures an ONNX model of scale two against centred bicubic on the held-out photographs.

  python evaluate.py HELD_OUT MODEL [MODEL ...] [--only DEGRADATION]

Prints, for each degradation, the means of PSNR-Y (dB), SSIM of luma, the unlikeness of judge.py (times 1000), and CPU
seconds per megapixel of output.
Pictures are given whole, edge-copied by 22 pixels; a model whose output is smaller than twice its input (waifu2x
takes its margin off) is centred. The figures come from one thread.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as functional
from PIL import Image

from degrade import halve, jpeg, noisy
from judge import Judge
from network import bicubic_phase_kernels

PAD = 22
BORDER = 8
LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


def area(picture: np.ndarray) -> np.ndarray:
    return halve(picture, Image.Resampling.BOX)


DEGRADATIONS = {
    'area/2': area,
    'area/2, JPEG 90': lambda picture: jpeg(area(picture), 90, 0),
    'area/2, JPEG 75': lambda picture: jpeg(area(picture), 75, 2),
    'area/2, JPEG 50': lambda picture: jpeg(area(picture), 50, 2),
    'area/2, noise 6, JPEG 50': lambda picture: jpeg(noisy(area(picture), 6, np.random.default_rng(1)), 50, 2),
    'bicubic/2, JPEG 75': lambda picture: jpeg(halve(picture, Image.Resampling.BICUBIC), 75, 2),
}


def padded(small: np.ndarray) -> np.ndarray:
    planes = small.astype(np.float32).transpose(2, 0, 1)[None] / 255
    return np.pad(planes, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)), 'edge')


def centred(output: np.ndarray, height: int, width: int) -> np.ndarray:
    top, left = (output.shape[2] - height) // 2, (output.shape[3] - width) // 2
    cut = output[0, :, top : top + height, left : left + width]
    return np.rint(np.clip(cut, 0, 1).transpose(1, 2, 0) * 255)


def bicubic(planes: np.ndarray) -> np.ndarray:
    return functional.pixel_shuffle(functional.conv2d(torch.from_numpy(planes), bicubic_phase_kernels(), padding=2), 2).numpy()


def session(file: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(file, options, providers=['CPUExecutionProvider'])


def enlarger(file: str):
    opened = session(file)
    name = opened.get_inputs()[0].name
    return lambda planes: opened.run(None, {name: planes})[0]


def psnr(one: np.ndarray, other: np.ndarray) -> float:
    return 10 * np.log10(255**2 / max(np.mean((one - other) ** 2), 1e-6))


def ssim(one: np.ndarray, other: np.ndarray) -> float:
    """Structural similarity with the usual Gaussian window of 11 pixels, sigma 1.5."""
    window = np.exp(-((np.arange(11) - 5) ** 2) / (2 * 1.5**2))
    window = torch.from_numpy((window / window.sum()).astype(np.float32))
    stack = torch.from_numpy(np.stack([one, other, one * one, other * other, one * other])[:, None])
    blurred = functional.conv2d(functional.conv2d(stack, window.view(1, 1, 1, 11)), window.view(1, 1, 11, 1))
    mean_one, mean_other, square_one, square_other, product = blurred[:, 0]
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    covariance = product - mean_one * mean_other
    variances = square_one - mean_one**2 + square_other - mean_other**2
    means = mean_one**2 + mean_other**2
    return (((2 * mean_one * mean_other + c1) * (2 * covariance + c2)) / ((means + c1) * (variances + c2))).mean().item()


def unlikeness(judge: Judge, ours: np.ndarray, truth: np.ndarray) -> float:
    planes = (torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1)[None] for pixels in (ours, truth))
    return 1000 * judge(*planes).item()


def measure(method, judge: Judge, pictures: list[np.ndarray], degradation) -> tuple[float, float, float, float]:
    rows = []
    for picture in pictures:
        height, width = picture.shape[:2]
        planes = padded(degradation(picture))
        started = time.process_time()
        output = method(planes)
        seconds = time.process_time() - started
        inner = slice(BORDER, -BORDER)
        colours = [pixels[inner, inner].astype(np.float32) for pixels in (centred(output, height, width), picture)]
        ours, truth = (pixels @ LUMA for pixels in colours)
        megapixels = output.shape[2] * output.shape[3] / 1e6
        rows.append((psnr(ours, truth), ssim(ours, truth), unlikeness(judge, *colours), seconds / megapixels))
    return tuple(np.mean(rows, axis=0))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('held_out', type=Path)
    parser.add_argument('models', nargs='+')
    parser.add_argument('--only', help='one degradation')
    options = parser.parse_args()
    torch.set_num_threads(1)
    pictures = [np.asarray(Image.open(file).convert('RGB')) for file in sorted(options.held_out.glob('*.png'))]
    judge = Judge()
    methods = {'bicubic': bicubic} | {model: enlarger(model) for model in options.models}
    for title, degradation in DEGRADATIONS.items():
        if options.only in (None, title):
            for name, method in methods.items():
                decibels, similarity, unlike, seconds = measure(method, judge, pictures, degradation)
                print(f'{title:26} {name:40} {decibels:6.2f} {similarity:.4f} {unlike:6.1f} {seconds:.3f}', flush=True)


if __name__ == '__main__':
    main()
