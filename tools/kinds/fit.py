"""Fits the log-odds of a photograph in packages/engine/src/pdf/analyze/picture-kind.ts.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python tools/kinds/fit.py features.json

A third of the pictures, chosen by the hash of their names, is held out. The program prints the ramps and the errors. The signs
of other kinds, which subtract from the log-odds, were set by hand.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

FEATURES = (
    "flat equal texture calm common colours entropy peaks kurtosis vivid hue layout surround ground near"
).split()

rows = json.loads(Path(sys.argv[1]).read_text())
# A picture without visible pixels has no measure.
values = np.array([[row[feature] or 0 for feature in FEATURES] for row in rows], dtype=float)
photo = np.array([row["label"] == "photo" for row in rows])
held = np.array([int(hashlib.md5(Path(row["path"]).name.encode()).hexdigest(), 16) % 3 == 0 for row in rows])
# Repainting a drawing costs more than leaving a photograph alone.
weights = np.where(photo, 1.0, 1.5)

knots = [
    np.unique(np.quantile(values[~held, i], [0.1, 0.3, 0.5, 0.7, 0.9]).round(3)) for i in range(len(FEATURES))
]
ramps = np.array(
    [
        np.clip((values[:, i] - low) / (high - low), 0, 1)
        for i in range(len(FEATURES))
        for low, high in zip(knots[i][:-1], knots[i][1:])
    ]
).T
model = LogisticRegression(C=1, max_iter=5000).fit(ramps[~held], photo[~held], weights[~held])
scores = model.decision_function(ramps)

print("bias", round(float(model.intercept_[0]), 2))
at = 0
for feature, places in zip(FEATURES, knots):
    count = len(places) - 1
    print(feature, places.tolist(), np.r_[0, np.cumsum(model.coef_[0][at : at + count])].round(2).tolist())
    at += count
for name, part in (("fitted", ~held), ("held out", held)):
    found = scores > 0
    print(
        f"{name}: {(found & photo & part).sum()} of {(photo & part).sum()} photographs,",
        f"{(found & ~photo & part).sum()} of {(~photo & part).sum()} others wrong",
    )
