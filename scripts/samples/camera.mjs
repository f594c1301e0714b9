import { gaussianNumbers } from './noise.mjs';

/**
 * Simulates a cheap camera: too little exposure, a wrong white balance, a soft lens that darkens the corners, and the noise of
 * a small sensor. The camera's processing has smeared the noise over the neighbours of each pixel.
 * @param {Float32Array} light linear RGB
 * @param {{ width: number, height: number }} size pixels
 * @param {{ seed: number, exposure: number, balance: number[], noise: number }} camera `noise` is 0 for none
 * @returns {Buffer} 8-bit sRGB
 */
export function takePhotograph(light, { width, height }, { seed, exposure, balance, noise }) {
  const gaussian = gaussianNumbers(seed);
  const grain = smear(Float32Array.from(light, gaussian), width, height, 0.2);
  const image = smear(light, width, height, 0.12);
  const pixels = Buffer.alloc(image.length);
  for (let n = 0; n < image.length; n += 1) {
    const x = Math.floor(n / 3) % width;
    const y = Math.floor(n / 3 / width);
    const corner = ((x / width - 0.5) ** 2 + ((y - height / 2) / width) ** 2) * 0.9;
    const signal = image[n] * exposure * (1 - corner);
    // Photon noise has the variance of the signal, and the readout adds a little.
    const deviation = noise * Math.sqrt(0.0016 * signal + 0.00003);
    pixels[n] = Math.round(255 * toneCurve((signal + deviation * grain[n]) * balance[n % 3]));
  }
  return pixels;
}

/** Spreads a share of each pixel to its four neighbours, along rows and then along columns. */
function smear(source, width, height, share) {
  const pass = (from, step, along) =>
    Float32Array.from(from, (value, n) => {
      const at = along(n);
      const before = at > 0 ? from[n - step] : value;
      const after = at < (step === 3 ? width : height) - 1 ? from[n + step] : value;
      return value * (1 - 2 * share) + (before + after) * share;
    });
  const rows = pass(source, 3, (n) => Math.floor(n / 3) % width);
  return pass(rows, 3 * width, (n) => Math.floor(n / 3 / width));
}

/** Film-like shoulder (Narkowicz's fit of the ACES curve), then the gamma of sRGB. */
function toneCurve(linear) {
  const v = Math.max(0, linear);
  const film = Math.min(1, (v * (2.51 * v + 0.03)) / (v * (2.43 * v + 0.59) + 0.14));
  return film <= 0.0031308 ? 12.92 * film : 1.055 * film ** (1 / 2.4) - 0.055;
}
