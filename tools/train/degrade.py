"""The damage of the pictures that the networks learn from: reduction by two for `fast`, noise and JPEG for both."""

import io

import numpy as np
from PIL import Image

# Area reduction is what cameras, browsers and this project's own benchmark do; the others keep the network general.
REDUCTIONS = (
    (Image.Resampling.BOX, 0.6),
    (Image.Resampling.BICUBIC, 0.2),
    (Image.Resampling.LANCZOS, 0.1),
    (Image.Resampling.BILINEAR, 0.1),
)


def jpeg(picture: np.ndarray, quality: int, subsampling: int) -> np.ndarray:
    """The picture after one JPEG round trip; subsampling 0 is 4:4:4 and 2 is 4:2:0."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, 'JPEG', quality=quality, subsampling=subsampling)
    return np.asarray(Image.open(buffer).convert('RGB'))


def halve(picture: np.ndarray, kind: Image.Resampling) -> np.ndarray:
    height, width = picture.shape[:2]
    return np.asarray(Image.fromarray(picture).resize((width // 2, height // 2), kind))


def noisy(picture: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(picture.shape, dtype=np.float32) * sigma
    return np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)


def degrade(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Half the size, with a random and mostly JPEG degradation."""
    kinds, weights = zip(*REDUCTIONS)
    small = halve(picture, kinds[rng.choice(len(kinds), p=weights)])
    if rng.random() < 0.15:
        small = noisy(small, rng.uniform(1, 5), rng)
    if rng.random() < 0.12:
        return small
    quality = int(rng.triangular(35, 75, 99))
    small = jpeg(small, quality, 2 if rng.random() < 0.75 else 0)
    return small


def coarse_noise(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Noise of standard deviation 1. Part of it is equal in all channels, and some spans neighbouring pixels."""
    noise = rng.standard_normal(shape, dtype=np.float32)
    if rng.random() < 0.2:
        share = rng.uniform(0.3, 1)
        noise = noise * np.sqrt(1 - share) + rng.standard_normal((*shape[:2], 1), dtype=np.float32) * np.sqrt(share)
    if rng.random() < 0.25:
        blur = rng.uniform(0.15, 0.6)
        noise = noise + blur * (np.roll(noise, 1, 0) + np.roll(noise, 1, 1) + blur * np.roll(noise, (1, 1), (0, 1)))
        noise /= noise.std()
    return noise


def damage(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same size, with a random mixture of noise and JPEG. A few stay as they are."""
    kind = rng.random()
    if kind < 0.06:
        return picture
    if kind < 0.42:
        sigma = 25 * rng.random() ** 1.5
        noise = coarse_noise(picture.shape, rng) * (sigma if kind < 0.28 else sigma / 2)
        picture = np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)
    if kind < 0.28:
        return picture
    for _ in range(2 if rng.random() < 0.15 else 1):
        top, left = rng.integers(0, 8, 2)
        shifted = np.ascontiguousarray(np.roll(picture, (top, left), (0, 1)))
        encoded = jpeg(shifted, int(rng.triangular(15, 72, 98)), 2 if rng.random() < 0.75 else 0)
        picture = np.roll(encoded, (-top, -left), (0, 1))
    return picture
