"""Reads the photographs of photographs.csv, and makes the small pictures that the network learns from.

  python data.py PHOTOGRAPHS OUT

PHOTOGRAPHS is a folder that contains each `file` of photographs.csv: the photograph of that SHA-256, turned upright,
converted to sRGB and reduced to at most 512 pixels. The script writes OUT, an .npz file with uint8 pictures.
"""

import csv
import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
# Side of a training picture, which is squashed to a square as the thumbnail is
SIDE = 64
# Long side of the pictures that evaluate.py changes
VALIDATION_SIDE = 192
# JPEG quality of the second copy of each picture. The network learns to treat both copies alike.
COPY_QUALITIES = (60, 95)
SEED = 11

# How often a kind is drawn, relative to an everyday photograph. Plain portraits resemble each other.
WEIGHTS = {'everyday': 1.0, 'headshot': 0.35}


def listed(split: str) -> list[dict[str, str]]:
    """The rows of photographs.csv of one split."""
    with open(HERE / 'photographs.csv', newline='') as file:
        return [row for row in csv.DictReader(file) if row['split'] == split]


def opened(folder: Path, row: dict[str, str]) -> Image.Image:
    return Image.open(folder / row['file']).convert('RGB')


def jpeg_copy(picture: Image.Image, quality: int) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, 'JPEG', quality=quality)
    return Image.open(buffer).convert('RGB')


def square(picture: Image.Image, side: int = SIDE) -> np.ndarray:
    return np.asarray(picture.resize((side, side), Image.Resampling.BOX))


def small(picture: Image.Image, side: int = VALIDATION_SIDE) -> np.ndarray:
    scale = side / max(picture.size)
    size = tuple(max(8, round(length * scale)) for length in picture.size)
    return np.asarray(picture.resize(size, Image.Resampling.BOX) if scale < 1 else picture)


def main(folder: Path, out: Path) -> None:
    rng = np.random.default_rng(SEED)
    rows = listed('train')
    clean, copies = [], []
    for row in rows:
        picture = opened(folder, row)
        clean.append(square(picture))
        copies.append(square(jpeg_copy(picture, int(rng.integers(*COPY_QUALITIES)))))
    np.savez(
        out,
        clean=np.stack(clean),
        copies=np.stack(copies),
        kinds=np.array([row['kind'] for row in rows]),
    )


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]))
