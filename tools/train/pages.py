"""Draws pages, screenshots and charts for training: text and lines of many fonts, sizes and colours."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT_FOLDERS = ('dejavu', 'liberation')
LETTERS = 'etaoinshrdlucmfwypvbgkjqxzETAOINSHRDLUCMFWYPVBGKJQXZ0123456789.,;:!?()-+%&@/'


def fonts(folder: Path = Path('/usr/share/fonts/truetype')) -> list[Path]:
    """The fonts of Debian's fonts-dejavu and fonts-liberation, in a fixed order."""
    return sorted(file for name in FONT_FOLDERS for file in (folder / name).glob('*.ttf'))


def colour(rng: np.random.Generator, light: bool) -> tuple[int, int, int]:
    """A colour of paper or of ink: mostly neutral, sometimes strong."""
    if rng.random() < 0.6:
        level = int(rng.integers(225, 256) if light else rng.integers(0, 70))
        return (level, level, level)
    low, high = (120, 256) if light else (0, 200)
    return tuple(int(value) for value in rng.integers(low, high, 3))


def words(rng: np.random.Generator) -> str:
    letters = rng.choice(list(LETTERS), 60)
    return ''.join(' ' + letter if rng.random() < 0.18 else letter for letter in letters)


def page(side: int, files: list[Path], rng: np.random.Generator) -> np.ndarray:
    """A square of a page, uint8 [side, side, 3]. Every second one is drawn at twice the size and reduced."""
    factor = int(rng.integers(1, 3))
    size = side * factor
    dark = rng.random() < 0.25
    paper, ink = colour(rng, not dark), colour(rng, dark)
    picture = Image.new('RGB', (size, size), paper)
    draw = ImageDraw.Draw(picture)
    for _ in range(int(rng.integers(0, 3))):
        left, top, right, bottom = (int(value) for value in rng.integers(-20, size + 20, 4))
        box = (min(left, right), min(top, bottom), max(left, right), max(top, bottom))
        line = int(rng.integers(1, 4)) * factor
        draw.rectangle(box, fill=colour(rng, not dark) if rng.random() < 0.5 else None, outline=ink, width=line)
    for _ in range(int(rng.integers(0, 4))):
        points = [tuple(int(value) for value in rng.integers(0, size, 2)) for _ in range(int(rng.integers(2, 5)))]
        draw.line(points, fill=colour(rng, dark), width=int(rng.integers(1, 4)) * factor)
    top = int(rng.integers(-10, 20))
    while top < size and rng.random() < 0.95:
        height = int(rng.integers(8, 30)) * factor
        font = ImageFont.truetype(files[rng.integers(len(files))], height)
        own = ink if rng.random() < 0.7 else colour(rng, dark)
        draw.text((int(rng.integers(-30, 20)), top), words(rng), font=font, fill=own)
        top += int(height * rng.uniform(1.1, 1.8))
    if factor == 2:
        picture = picture.resize((side, side), Image.Resampling.BOX)
    if rng.random() < 0.2:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.9)))
    return np.asarray(picture)
