"""Fits the network that predicts the ink within each pixel of a one-bit scan, and writes its weights as TypeScript.

    npm install --prefix fonts @fontsource/{eb-garamond,libre-baskerville,lato,roboto,pt-serif,crimson-text,courier-prime,open-sans,merriweather}@5.3.0
    pip install numpy==2.4.6 pillow==13.0.0 scipy==1.17.1
    python tools/bilevel/fit.py fonts/node_modules/@fontsource weights.npz
    python tools/bilevel/fit.py --export weights.npz packages/engine/src/pdf/images/bilevel-weights.ts

It also needs the fonts DejaVu and Liberation of Debian. The fonts of `npm run bench:document` (Liberation Serif, Liberation
Sans, DejaVu Sans Mono) are held out. Seeds are fixed; the order of sums in a BLAS may change the last digits.
"""

import argparse
import base64
import glob

import numpy as np

REACH = 7  # pixels around a pixel that the network sees
HIDDEN = (96, 48)
PARTS = 4  # parts of a pixel along each side
FINER = 2  # finer samples within a part, when a page is drawn
NEAR = 2  # a pixel counts if the ink within this distance is mixed
SIDE = 200  # pixels of a drawn page
PAGES, HELD_OUT, EPOCHS, BATCH = 420, 60, 6, 2048
PATTERNS = 0.06  # share of pages with dots or screens, which must stay as they are

DEJAVU, LIBERATION = "/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/truetype/liberation/"
LETTERS = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:'!?()-/&%$@\"")
# Frequencies of English letters, then those of capitals, digits and signs, in the order of LETTERS.
FREQUENCY = np.array(
    [8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2, 6.1, 7, 0.3, 0.8, 4, 2.4, 6.7, 7.5, 1.9, 0.2, 6, 6.3, 9.1, 2.8, 1, 2.4, 0.3, 2, 0.2]
    + [0.8] * 26
    + [0.9] * 10
    + [1.5, 1.5, 0.3, 0.3, 0.4, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.3, 0.2, 0.2, 0.2, 0.3]
)
FREQUENCY /= FREQUENCY.sum()


def fonts_in(folder):
    """Returns the fonts to fit on, and those held out."""

    def of(name, styles=("400-normal", "700-normal", "400-italic")):
        return [path for style in styles for path in glob.glob(f"{folder}/{name}/files/{name}-latin-{style}.woff2")]

    names = ["eb-garamond", "libre-baskerville", "lato", "roboto", "pt-serif", "crimson-text", "courier-prime", "open-sans"]
    fitted = [
        DEJAVU + "DejaVuSerif.ttf",
        DEJAVU + "DejaVuSerif-Bold.ttf",
        DEJAVU + "DejaVuSansCondensed.ttf",
        DEJAVU + "DejaVuSans-Bold.ttf",
        LIBERATION + "LiberationSansNarrow-Regular.ttf",
        LIBERATION + "LiberationMono-Regular.ttf",
    ] + sum([of(name) for name in names], [])
    held_out = [
        LIBERATION + "LiberationSerif-Regular.ttf",
        LIBERATION + "LiberationSans-Regular.ttf",
        DEJAVU + "DejaVuSansMono.ttf",
        *of("merriweather", ("400-normal",)),
    ]
    return fitted, held_out


def draw_text(rng, fonts):
    """Draws text as a scanner of one bit gives it. Returns its bits, 1 for ink, and the coverage of the parts of its pixels."""
    from PIL import Image, ImageDraw, ImageFont
    from scipy.ndimage import gaussian_filter

    fine = PARTS * FINER
    em = np.exp(rng.uniform(np.log(10), np.log(52)))
    side = SIDE * fine
    image = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(fonts[rng.integers(len(fonts))], max(8, round(em * fine)))
    y = -int(rng.integers(0, int(em * fine)))
    while y < side:
        line = ""
        while len(line) < 2.6 * SIDE / em + 3:
            line += "".join(rng.choice(LETTERS, p=FREQUENCY, size=rng.integers(1, 10))) + " "
        draw.text((-int(rng.integers(0, int(em * fine))), y), line, font=font, fill=255)
        y += int(em * fine * rng.uniform(1.15, 1.5))
    if rng.random() < 0.15:
        draw_lines(rng, draw, side, fine)
    ink = np.asarray(image, dtype=np.float32) / 255
    if rng.random() < 0.12:
        ink = np.rot90(ink, int(rng.integers(1, 4))).copy()
    coverage = ink.reshape(SIDE * PARTS, FINER, SIDE * PARTS, FINER).mean((1, 3))
    seen = gaussian_filter(ink.reshape(SIDE, fine, SIDE, fine).mean((1, 3)), rng.uniform(0.35, 1.0))
    seen = seen + rng.normal(0, rng.uniform(0.004, 0.04), seen.shape)
    return (seen > rng.uniform(0.38, 0.62)).astype(np.uint8), coverage


def draw_lines(rng, draw, side, fine):
    for _ in range(3):
        a = rng.integers(0, side, 4)
        width = int(rng.uniform(0.8, 4) * fine)
        kind = rng.integers(4)
        if kind == 0:
            draw.line((0, int(a[0]), side, int(a[0])), fill=255, width=width)
        elif kind == 1:
            draw.line((int(a[0]), 0, int(a[0]), side), fill=255, width=width)
        elif kind == 2:
            draw.line(tuple(map(int, a)), fill=255, width=width)
        else:
            corner = (int(a[0]) + 200 + int(a[2]) // 4, int(a[1]) + 200 + int(a[3]) // 4)
            draw.ellipse((int(a[0]), int(a[1]), *corner), outline=255, width=width)


def draw_pattern(rng, side=120):
    """A checkerboard, an ordered dither, noise or a screen, whose parts are as their pixels."""
    kind = rng.integers(4)
    y, x = np.mgrid[:side, :side]
    if kind == 0:
        bits = (x + y) % 2
    elif kind == 1:
        bayer = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
        bits = (x / side * 0.8 + 0.1) * 16 > bayer[y % 4, x % 4]
    elif kind == 2:
        bits = rng.random((side, side)) < rng.uniform(0.05, 0.95)
    else:
        period = rng.integers(4, 9)
        waves = np.cos(2 * np.pi * (x + y) / period) + np.cos(2 * np.pi * (x - y) / period)
        bits = waves > rng.uniform(-1.2, 1.2)
    bits = bits.astype(np.uint8)
    return bits, np.kron(bits, np.ones((PARTS, PARTS), np.float32)).astype(np.float32)


def windows_of(bits, reach):
    padded = np.pad(bits, reach, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))


def samples_of(bits, coverage, rng, keep):
    near = windows_of(bits, NEAR)
    ys, xs = np.nonzero(near.min((2, 3)) != near.max((2, 3)))
    if keep < 1:
        kept = rng.random(len(ys)) < keep
        ys, xs = ys[kept], xs[kept]
    if len(ys) == 0:
        return np.zeros((0, (2 * REACH + 1) ** 2), np.uint8), np.zeros((0, PARTS * PARTS), np.float16)
    parts = coverage.reshape(bits.shape[0], PARTS, bits.shape[1], PARTS).transpose(0, 2, 1, 3)
    return windows_of(bits, REACH)[ys, xs].reshape(len(ys), -1), parts[ys, xs].reshape(len(ys), -1).astype(np.float16)


def data_set(seed, pages, fonts, keep, patterns=0.0):
    rng = np.random.default_rng(seed)
    inputs, targets = [], []
    for _ in range(pages):
        bits, coverage = draw_pattern(rng) if rng.random() < patterns else draw_text(rng, fonts)
        window, parts = samples_of(bits, coverage, rng, keep if bits.shape[0] == SIDE else 0.1)
        inputs.append(window)
        targets.append(parts)
    return np.concatenate(inputs), np.concatenate(targets)


def fit(folder, path):
    fitted, held_out = fonts_in(folder)
    inputs, targets = data_set(7, PAGES, fitted, 0.35, PATTERNS)
    tried, wanted = data_set(99, HELD_OUT, held_out, 0.3)
    rng = np.random.default_rng(0)
    sizes = [(2 * REACH + 1) ** 2, *HIDDEN, PARTS * PARTS]
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32)]

    def forward(x):
        one = np.maximum(x @ layers[0] + layers[1], 0)
        two = np.maximum(one @ layers[2] + layers[3], 0)
        return one, two, two @ layers[4] + layers[5]

    moments = [(np.zeros_like(layer), np.zeros_like(layer)) for layer in layers]
    batches, step = len(inputs) // BATCH, 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(inputs))
        for batch in range(batches):
            chosen = order[batch * BATCH : (batch + 1) * BATCH]
            x, t = inputs[chosen].astype(np.float32) - 0.5, targets[chosen].astype(np.float32)
            one, two, logits = forward(x)
            slope = (1 / (1 + np.exp(-logits)) - t) / BATCH * 4
            slopes = [two.T @ slope, slope.sum(0)]
            slope = (slope @ layers[4].T) * (two > 0)
            slopes = [one.T @ slope, slope.sum(0), *slopes]
            slope = (slope @ layers[2].T) * (one > 0)
            slopes = [x.T @ slope, slope.sum(0), *slopes]
            step += 1
            rate = 2e-3 * min(1, step / 300) * 0.5 * (1 + np.cos(np.pi * step / (EPOCHS * batches))) + 1e-5
            for layer, (mean, square), gradient in zip(layers, moments, slopes):
                mean *= 0.9
                mean += 0.1 * gradient
                square *= 0.999
                square += 0.001 * gradient**2
                layer -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        logits = np.concatenate([forward(tried[i : i + 8192].astype(np.float32) - 0.5)[2] for i in range(0, len(tried), 8192)])
        truth = wanted.astype(np.float32)
        loss = (np.logaddexp(0, logits) - truth * logits).mean()
        wrong = ((logits > 0) != (truth > 0.5)).mean()
        repeated = ((tried[:, tried.shape[1] // 2, None] > 0) != (truth > 0.5)).mean()
        print(f"{epoch}: loss {loss:.4f}, wrong parts {wrong:.4f}, with repeated pixels {repeated:.4f}", flush=True)
    np.savez(path, *layers)


def export(path, to):
    """Writes weights as signed bytes with a scale for each layer, and biases as floats. Inputs become 0 and 1."""
    loaded = np.load(path)
    layers = [loaded[name] for name in loaded.files]
    layers[1] = layers[1] - 0.5 * layers[0].sum(0)
    data = b""
    for weights, bias in ((layers[0], layers[1]), (layers[2], layers[3]), (layers[4].T, layers[5])):
        scale = np.float32(np.abs(weights).max() / 127)
        data += scale.tobytes() + np.round(weights / scale).astype(np.int8).tobytes() + bias.astype("<f4").tobytes()
    text = base64.b64encode(data).decode()
    reach = (int(layers[0].shape[0] ** 0.5) - 1) // 2
    hidden = f"[{layers[0].shape[1]}, {layers[2].shape[1]}]"
    with open(to, "w") as file:
        file.write("/** Weights of the network of `BilevelField`, written by `tools/bilevel/fit.py`. */\nexport const BILEVEL_FIT = {\n")
        file.write(f"  reach: {reach},\n  hidden: {hidden},\n  weights:\n    '{text}',\n}} as const;\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--export", action="store_true")
    parser.add_argument("source")
    parser.add_argument("target")
    given = parser.parse_args()
    (export if given.export else fit)(given.source, given.target)
