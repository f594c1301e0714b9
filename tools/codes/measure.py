"""Counts the codes that a decoder reads before and after an enlargement.

    pip install pillow==13.0.0 numpy==2.4.6 qrcode==8.2 python-barcode==0.16.1 zxing-cpp==3.1.1
    python tools/codes/measure.py make codes/
    npx burnish enhance codes/*.png --strict --upscale X2 --tier FAST -o enlarged/
    python tools/codes/measure.py read codes/ enlarged/

The 200 pictures are half QR codes and half Code 128, with 2 to 3 pixels a module, blur, noise and a random tilt. Some are
at the limit of the decoder.
"""

import random
import sys
from pathlib import Path

import barcode
import numpy as np
import qrcode
import zxingcpp
from barcode.writer import ImageWriter
from PIL import Image, ImageFilter


def draw(number: int, text: str) -> Image.Image:
    if number % 2 == 0:
        code = qrcode.QRCode(border=4, box_size=8)
        code.add_data(text)
        return code.make_image().get_image().convert("L")
    options = {"module_width": 1, "module_height": 60, "quiet_zone": 12, "write_text": False, "dpi": 204}
    return barcode.get("code128", text, writer=ImageWriter()).render(options).convert("L")


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(200):
        chance = random.Random(number)
        text = "".join(chance.choices("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789", k=chance.randint(6, 14)))
        page = draw(number, text).rotate(chance.uniform(-8, 8), resample=Image.BICUBIC, expand=True, fillcolor=255)
        scale = chance.uniform(2.0, 3.0) / 8
        size = [max(1, round(side * scale)) for side in page.size]
        page = page.resize(size, Image.BOX).filter(ImageFilter.GaussianBlur(chance.uniform(0, 0.9)))
        noise = np.random.default_rng(number).normal(0, chance.uniform(0, 14), (page.height, page.width))
        contrast = chance.uniform(0.4, 0.9)
        samples = 128 + (np.asarray(page, dtype=float) - 128) * contrast + noise
        Image.fromarray(samples.round().clip(0, 255).astype("uint8")).save(folder / f"{number:03}.png")


def texts(path: Path) -> set[str]:
    """The decoder may read a code more than once."""
    return {code.text for code in zxingcpp.read_barcodes(Image.open(path))}


def read(before: Path, after: Path) -> None:
    counts = {"equal": 0, "only before": 0, "only after": 0, "in neither": 0}
    for path in sorted(before.glob("*.png")):
        first, second = texts(path), texts(after / path.name)
        if not first:
            counts["only after" if second else "in neither"] += 1
        else:
            counts["equal" if first == second else "only before"] += 1
    print(", ".join(f"{name}: {count}" for name, count in counts.items()))


if __name__ == "__main__":
    {"make": make, "read": read}[sys.argv[1]](*map(Path, sys.argv[2:]))
