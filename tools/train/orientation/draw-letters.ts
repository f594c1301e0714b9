/** Draws letters for `train.py`, which has the recipe. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { letterWindows } from '../../../packages/engine/src/image/orientation/letter-windows.ts';
import { randomOf, type Random } from '../tone/random.ts';

const EUROPEAN = [
  'Liberation Serif',
  'Liberation Sans',
  'Liberation Mono',
  'FreeSerif',
  'FreeSans',
  'FreeMono',
  'Linux Libertine O',
  'Linux Biolinum O',
  'CMU Serif',
  'CMU Sans Serif',
  'CMU Typewriter Text',
  'Noto Sans',
  'Noto Serif',
];
const LATIN = [
  ...EUROPEAN,
  'Latin Modern Roman',
  'Latin Modern Sans',
  'TeX Gyre Termes',
  'TeX Gyre Heros',
  'TeX Gyre Pagella',
  'TeX Gyre Bonum',
  'TeX Gyre Schola',
  'TeX Gyre Adventor',
  'TeX Gyre Cursor',
  'EB Garamond',
  'Liberation Sans Narrow',
];

/** Languages with the files of their texts, fonts and share among the drawings. */
const SCRIPTS: readonly { texts: readonly string[]; fonts: readonly string[]; share: number; cased?: true }[] = [
  {
    texts: ['eng', 'deu_1996', 'fra', 'spa', 'ita', 'por_PT', 'nld', 'pol', 'ces', 'tur', 'swe', 'fin', 'hun', 'vie'],
    fonts: LATIN,
    share: 0.56,
    cased: true,
  },
  { texts: ['rus', 'ukr', 'bul'], fonts: EUROPEAN, share: 0.1, cased: true },
  { texts: ['ell_monotonic'], fonts: EUROPEAN, share: 0.05, cased: true },
  { texts: ['cmn_hans', 'jpn'], fonts: ['Noto Sans CJK JP', 'Noto Serif CJK JP', 'Noto Sans CJK SC'], share: 0.07 },
  { texts: ['kor'], fonts: ['Noto Sans CJK KR', 'Noto Serif CJK KR'], share: 0.03 },
  {
    texts: ['arb', 'pes_1'],
    fonts: ['Noto Naskh Arabic', 'Noto Kufi Arabic', 'Noto Sans Arabic', 'FreeSerif'],
    share: 0.05,
  },
  { texts: ['heb'], fonts: ['Noto Sans Hebrew', 'Noto Serif Hebrew', 'FreeSerif', 'FreeSans'], share: 0.04 },
  { texts: ['hin'], fonts: ['Noto Sans Devanagari', 'Noto Serif Devanagari'], share: 0.03 },
  { texts: ['ben'], fonts: ['Noto Sans Bengali', 'Noto Serif Bengali'], share: 0.01 },
  { texts: ['tam'], fonts: ['Noto Sans Tamil', 'Noto Serif Tamil'], share: 0.01 },
  { texts: ['tel'], fonts: ['Noto Sans Telugu', 'Noto Serif Telugu'], share: 0.01 },
  { texts: ['tha'], fonts: ['Noto Sans Thai', 'Noto Serif Thai', 'Noto Looped Thai'], share: 0.01 },
  { texts: ['kat'], fonts: ['Noto Sans Georgian', 'Noto Serif Georgian'], share: 0.01 },
  { texts: ['hye'], fonts: ['Noto Sans Armenian', 'Noto Serif Armenian'], share: 0.01 },
  { texts: ['amh'], fonts: ['Noto Sans Ethiopic', 'Noto Serif Ethiopic'], share: 0.01 },
];
const STYLES = ['', '', '', ' Bold', ' Italic', ' Bold Italic'];

/** Width of a drawing, and its number of characters; pixels */
const [WIDTH, CHARACTERS, MARGIN, PER_DRAWING] = [1000, 500, 24, 110];
/** Numbers of noise, which repeat from a random one on */
const GRAINS = 8192;

/** Draws texts as scanners give them, and cuts the windows of their letters, which stand upright. */
async function drawLetters(folder: string, drawings: number, random: Random): Promise<Uint8Array> {
  const texts = new Map<string, string>();
  const textOf = (name: string): string => {
    const known = texts.get(name) ?? plainText(readFileSync(join(folder, `${name}.html`), 'utf8'));
    texts.set(name, known);
    return known;
  };
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.next() * of.length)]!;
  const found: Uint8Array[] = [];
  for (let k = 0; k < drawings; k += 1) {
    if (k % 100 === 0) console.log(`${k} of ${drawings}`);
    let place = random.next();
    const script = SCRIPTS.find(({ share }) => (place -= share) < 0) ?? SCRIPTS[0]!;
    const whole = textOf(pick(script.texts));
    const start = Math.floor(random.next() * Math.max(1, whole.length - CHARACTERS));
    let text = whole.slice(start, start + CHARACTERS);
    const manner = random.next();
    if (script.cased && manner < 0.12) text = text.toUpperCase();
    else if (manner < 0.22) text = withFigures(text, random);
    const size = Math.round(14 * 4.5 ** random.next());
    const font = `${pick(script.fonts)}${script.cased ? pick(STYLES) : ''} ${size}`;
    const picture = await drawText(text, font, random);
    if (picture === undefined) continue;
    found.push(letterWindows(picture, PER_DRAWING).samples);
  }
  return new Uint8Array(Buffer.concat(found));
}

async function drawText(
  text: string,
  font: string,
  random: Random,
): Promise<Parameters<typeof letterWindows>[0] | undefined> {
  const spacing = Math.floor(random.between(0, 9));
  const drawn = await sharp({
    text: { text: text.replace(/[<>&]/gu, ' '), font, width: WIDTH, dpi: 72, wrap: 'word-char', spacing },
  })
    .extractChannel(0)
    .extend({ top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN, background: '#000' })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => undefined);
  if (drawn === undefined) return undefined;
  const raw = { width: drawn.info.width, height: drawn.info.height, channels: drawn.info.channels };
  let image = sharp(drawn.data, { raw }).rotate(random.normal(1.2), { background: '#000' });
  const blur = random.between(-0.6, 1.4);
  if (blur > 0.3) image = image.blur(blur);
  const { data, info } = await image.extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  const [ink, paper] = [random.between(0.5, 1), random.between(170, 255)];
  const noise = random.between(0, 14);
  const isBilevel = random.next() < 0.25;
  const level = paper * (1 - ink * random.between(0.35, 0.65));
  const grains = Float32Array.from({ length: GRAINS }, () => random.normal(noise));
  let grain = 0;
  const samples = data.map((share) => {
    if (grain === GRAINS) grain = Math.floor((random.next() * GRAINS) / 2);
    const given = paper * (1 - (ink * share) / 255) + grains[grain++]!;
    return isBilevel ? (given < level ? 0 : 255) : Math.min(255, Math.max(0, given));
  });
  const { width, height } = info;
  return { data: new Uint8Array(samples), width, height, channels: 1, space: 'grey', hasAlpha: false };
}

/** Puts numbers in place of some words, as tables have them. */
const withFigures = (text: string, random: Random): string =>
  text
    .split(' ')
    .map((word) =>
      random.next() < 0.6
        ? random.between(0, 10 ** Math.ceil(random.between(0, 6))).toFixed(random.next() < 0.4 ? 2 : 0)
        : word,
    )
    .join(' ');

const plainText = (html: string): string =>
  html
    .replace(/<head>[\s\S]*?<\/head>/u, ' ')
    .replace(/<[^>]*>/gu, ' ')
    .replace(/&#?\w+;/gu, ' ')
    .replace(/\s+/gu, ' ');

const [texts, out, drawings] = process.argv.slice(2) as [string, string, string];
writeFileSync(out, await drawLetters(texts, Number(drawings), randomOf(7)));
