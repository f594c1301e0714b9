/** Strength with which a model removes noise and compression artefacts during enlargement; `none` only enlarges. */
export type DenoiseLevel = 'none' | 0 | 1 | 2 | 3;

/** A network of the tier `fine`, converted from waifu2x without loss (THIRD-PARTY.md). */
export interface Waifu2xModel {
  name: string;
  file: string;
  /** SHA-256 of the ONNX file, in hexadecimal */
  sha256: string;
}

/** The margin is the receptive field of six convolutions of kernel 3 and a deconvolution of kernel 4. */
export const WAIFU2X_TILING = { margin: 7, tile: 128, alignment: 1 };

const model = (level: DenoiseLevel, sha256: string): Waifu2xModel => {
  const name = level === 'none' ? 'waifu2x-photo' : `waifu2x-photo-n${level}`;
  return { name, file: `${name}.onnx`, sha256 };
};

/** Networks that double a picture, by denoise level. */
export const DOUBLING_MODELS: Readonly<Record<DenoiseLevel, Waifu2xModel>> = {
  none: model('none', '5426aa70587591b26fa3b2fc57e7764e3e7cda3a281f701a436e007fd425776c'),
  0: model(0, '37d0e120994f1dea6778796712490ff02c7267b04badde0e1745e27bcee39c7c'),
  1: model(1, 'ee6c3e438640e3eecfbd0ffa2a910e93196fca3dd63bcfbea2bf25bbb0b3d7e6'),
  2: model(2, 'dca9312cca7a856f595fe17d9fbf00b823b981c3de81cd82e79e5da4f5425eb4'),
  3: model(3, '28a5bd665cf0736bb23008e04bc7db7c8805d7aaf4e39f17c80cbb3d327e26cc'),
};

export const WAIFU2X_MODELS: readonly Waifu2xModel[] = Object.values(DOUBLING_MODELS);
