"""Measures trained networks on pictures that took no part in the training.

  python evaluate.py PHOTOGRAPHS WEIGHTS... --lights BALANCE... [--pairs FOLDER] [--zone D] [--sheet FOLDER]

All differences are means of CIELAB (1976). PAIRS is a folder of NAME-input.png and NAME-expert.png, which are only
measured. Prints one JSON object. With --sheet, the greatest changes are written as contact sheets.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from apply import Correction, correct, loaded
from balance import lights_of
from data import jpeg_copy, listed, opened, small
from degrade import on_white
from model import ZONE, encoded, lab, linear

Correct = Callable[[np.ndarray], np.ndarray]
# Gains of R, G and B: lamps, a strong lamp, shade, tubes, and a magenta and a cold cast
CASTS = ((1.35, 1, 0.65), (1.8, 1, 0.4), (0.75, 1, 1.3), (0.9, 1.15, 0.85), (1.1, 0.88, 1.1), (0.6, 1, 1.5))
CAST_PICTURES = 40
# Seven exposures of each of these pictures make six steps.
ORDER_STOPS = (-2, -1.5, -1, -0.5, 0, 0.5, 0.8)
ORDER_PICTURES = 40
JPEG_QUALITIES = (75, 90)


def tensor(picture: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(picture.astype(np.float32) / 255).permute(2, 0, 1)[None]


def in_lab(picture: np.ndarray) -> torch.Tensor:
    return lab(tensor(picture))


def delta(a: np.ndarray, b: np.ndarray) -> float:
    return 0.0 if a is b else float(((in_lab(a) - in_lab(b)) ** 2).sum(1).sqrt().mean())


def bytes_of(x: torch.Tensor) -> np.ndarray:
    return (x[0].permute(1, 2, 0).clamp(0, 1) * 255).round().byte().numpy()


def lit(picture: np.ndarray, gains: tuple[float, ...]) -> np.ndarray:
    """The picture under other light, in linear light with clipping."""
    return bytes_of(encoded((linear(tensor(picture)) * torch.tensor(gains).view(1, 3, 1, 1)).clamp(0, 1)))


def summary(values: list[float]) -> dict[str, float]:
    values = values or [float('nan')]
    found = {'mean': np.mean(values), 'median': np.median(values), 'worst': np.max(values), 'changed': np.mean(np.array(values) > 0.5)}
    return {name: round(float(value), 2) for name, value in found.items()}


def shades_of_grey(picture: np.ndarray) -> np.ndarray:
    """A classical method to compare with: Minkowski norm of 6 in linear light."""
    light = linear(tensor(picture))
    tint = (light**6).mean((2, 3)) ** (1 / 6)
    gains = tint[:, 1:2] / tint.clamp(min=1e-3)
    return bytes_of(encoded((light * gains[:, :, None, None]).clamp(0, 1)))


def pairs(correct_: Correct, folder: Path) -> dict[str, float]:
    found = {}
    for file in sorted(folder.glob('*-input.png')):
        before, wanted = (np.asarray(Image.open(f).convert('RGB')) for f in (file, str(file).replace('input', 'expert')))
        found[file.name.split('-')[0]] = round(delta(correct_(before), wanted), 2)
    return {'mean': round(float(np.mean(list(found.values()))), 2), **found}


def casts(correct_: Correct, pictures: list[np.ndarray]) -> dict[str, float]:
    rows = []
    for picture in pictures[:CAST_PICTURES]:
        for gains in CASTS:
            luma = np.dot(gains, (0.2126, 0.7152, 0.0722))
            cast = lit(picture, tuple(gain / luma for gain in gains))
            rows.append([delta(f(cast), picture) for f in (lambda p: p, correct_, shades_of_grey)])
    return dict(zip(('before', 'after', 'shades_of_grey'), (round(float(v), 2) for v in np.mean(rows, 0))))


def order(correct_: Correct, pictures: list[np.ndarray]) -> dict[str, float]:
    """Steps of exposure that come out darker, by the mean level."""
    falls = []
    for picture in pictures[:ORDER_PICTURES]:
        levels = [correct_(lit(picture, (2**stops,) * 3)).mean() for stops in ORDER_STOPS]
        falls += [low - high for low, high in zip(levels, levels[1:])]
    return {'steps': len(falls), 'reversed': int((np.array(falls) > 1).sum()), 'worst': round(float(max(falls)), 2)}


def objects(correct_: Correct, pictures: list[np.ndarray]) -> tuple[dict[str, float], list[float]]:
    """Cut out on white: changes, and the strongest loss of lightness of an object."""
    torch.manual_seed(5)
    changes, losses = [], []
    for picture in pictures:
        resized = np.asarray(Image.fromarray(picture).resize((128, 128)))
        before = bytes_of(on_white(tensor(resized)))
        after = correct_(before)
        thing = torch.from_numpy(before.min(-1) < 245)
        changes.append(delta(before, after))
        losses.append(float((in_lab(before) - in_lab(after))[0, 0][thing].mean()) if thing.any() else 0.0)
    return {**summary(changes), 'darkest': round(max(losses), 2)}, changes


def measured(correction: Correction, folder: Path, expert: Path | None) -> tuple[dict, list]:
    torch.manual_seed(0)

    def correct_(picture: np.ndarray) -> np.ndarray:
        return correct(correction, picture)

    kinds: dict[str, list[np.ndarray]] = {}
    names: dict[str, list[str]] = {}
    for row in listed('validation'):
        kinds.setdefault(row['kind'], []).append(small(opened(folder, row)))
        names.setdefault(row['kind'], []).append(row['file'])
    result: dict = {'pairs': pairs(correct_, expert)} if expert else {}
    table, again = [], []
    for kind, pictures in kinds.items():
        outputs = [correct_(picture) for picture in pictures]
        changes = [delta(a, b) for a, b in zip(pictures, outputs)]
        result[kind] = summary(changes)
        again += [delta(output, correct_(output)) for output in outputs]
        table += zip(changes, [kind] * len(changes), names[kind], pictures, outputs)
    everyday = kinds['everyday'][::2]
    result['on_white'], _ = objects(correct_, everyday)
    dark = [lit(picture, (0.35, 0.33, 0.25)) for picture in everyday[:60]]
    outputs = [correct_(picture) for picture in dark]
    again += [delta(output, correct_(output)) for output in outputs]
    result['dark'] = {name: round(float(np.mean([delta(a, b) for a, b in zip(made, everyday)])), 2) for name, made in (('before', dark), ('after', outputs))}
    result['again'] = summary(again)
    result['casts'] = casts(correct_, everyday)
    result['order'] = order(correct_, everyday)
    shifts = [
        delta(output, correct_(np.asarray(jpeg_copy(Image.fromarray(picture), quality))))
        - delta(picture, np.asarray(jpeg_copy(Image.fromarray(picture), quality)))
        for picture, output in list(zip(dark, outputs))[:20]
        for quality in JPEG_QUALITIES
    ]
    result['jpeg'] = summary(shifts)
    return result, sorted(table, key=lambda row: -row[0])


def sheets(table: list, folder: Path, count: int = 24, side: int = 192) -> None:
    """Before and after beside each other, the greatest changes of each kind first."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in {row[1] for row in table}:
        rows = [row for row in table if row[1] == kind][:count]
        sheet = Image.new('RGB', (side * 8, (side + 4) * -(-len(rows) // 4)), 'white')
        for at, (_, _, _, before, after) in enumerate(rows):
            x, y = at % 4 * side * 2, at // 4 * (side + 4)
            sheet.paste(Image.fromarray(before), (x, y))
            sheet.paste(Image.fromarray(after), (x + side, y))
        sheet.save(folder / f'{kind}.png')


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument('photographs', type=Path)
    parser.add_argument('weights', type=Path, nargs='+')
    parser.add_argument('--lights', type=Path, nargs='+', required=True)
    parser.add_argument('--pairs', type=Path)
    parser.add_argument('--zone', type=float, default=ZONE)
    parser.add_argument('--sheet', type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    correction = Correction(lights_of(options.lights), loaded(options.weights), options.zone)
    result, table = measured(correction, options.photographs, options.pairs)
    print(json.dumps(result))
    if options.sheet:
        sheets(table, options.sheet)
        for change, kind, name, _, _ in table[:40]:
            print(f'{change:.2f} {kind} {name}')


if __name__ == '__main__':
    main()
