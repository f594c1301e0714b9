"""What happens to a photograph before the network sees it: reduced by two, sometimes noisy, mostly JPEG."""

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
