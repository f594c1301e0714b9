import sharp from 'sharp';
import { randomNumbers } from '../support/photograph.ts';
import type { Samples } from './pictures.ts';

/** What a made picture shows. */
export type NonPhotograph = 'banner' | 'logo' | 'chart' | 'ramp' | 'scan' | 'line art' | 'tissue' | 'radiograph';

const COUNTS: Record<NonPhotograph, number> = {
  banner: 9,
  logo: 7,
  chart: 9,
  ramp: 6,
  scan: 10,
  'line art': 7,
  tissue: 6,
  radiograph: 6,
};

export interface MadePicture {
  name: string;
  kind: NonPhotograph;
  samples: Samples;
}

/**
 * Draws 60 pictures that are no photographs: banners with gradients, logos, charts, calibration ramps, scanned pages,
 * line art, stained tissue and radiographs.
 * @param seed another seed draws other pictures of the same kinds
 * @param ofEach draws so many of each kind at most
 */
export async function nonPhotographs(seed: number, ofEach = Infinity): Promise<MadePicture[]> {
  const all: MadePicture[] = [];
  let number = seed * 1000;
  for (const [kind, count] of Object.entries(COUNTS) as [NonPhotograph, number][])
    for (let i = 0; i < count; i += 1) {
      number += 1;
      if (i < ofEach)
        all.push({ name: `${kind} ${i + 1}`, kind, samples: await PAINTERS[kind](randomNumbers(number), i) });
    }
  return all;
}

/** Numbers of 0..1. */
type Random = () => number;

const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
const whole = (random: Random, low: number, high: number): number => Math.floor(between(random, low, high + 1));
const colour = (random: Random, light = 50): string =>
  `hsl(${whole(random, 0, 359)},${whole(random, 45, 95)}%,${whole(random, light - 20, light + 20)}%)`;
/** Sum of three, about normal with deviation 1. */
const noise = (random: Random): number => (random() + random() + random() - 1.5) * 2;

async function paint(width: number, height: number, shapes: string): Promise<Samples> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`;
  const data = await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).removeAlpha().raw().toBuffer();
  return { data, width, height, channels: 3 };
}

function paintPixels(width: number, height: number, channels: 1 | 3, at: (x: number, y: number) => number[]): Samples {
  const data = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      at(x, y).forEach((value, c) => {
        data[(y * width + x) * channels + c] = Math.max(0, Math.min(255, Math.round(value)));
      });
  return { data, width, height, channels };
}

/** Lines of short dark strokes, which look like words. */
function words(random: Random, area: { x: number; y: number; width: number; lines: number; size: number }): string {
  let shapes = '';
  for (let line = 0; line < area.lines; line += 1) {
    const y = area.y + line * area.size * 1.6;
    for (let x = area.x; x < area.x + area.width; x += area.size * between(random, 0.5, 0.75)) {
      if (random() < 0.16) continue;
      const [w, h] = [area.size * 0.4, area.size * between(random, 0.45, 0.9)];
      shapes += `<path d="M${x} ${y}v${-h}${random() < 0.5 ? `h${w}v${h}` : `q${w} ${h / 2} 0 ${h}`}"/>`;
    }
  }
  return `<g fill="none" stroke-width="${area.size / 8}">${shapes}</g>`;
}

function gradient(random: Random, id: string, kind: 'linear' | 'radial'): string {
  const stops = [0, 0.5, 1].map((at) => `<stop offset="${at}" stop-color="${colour(random, 55)}"/>`).join('');
  return `<${kind}Gradient id="${id}">${stops}</${kind}Gradient>`;
}

/** Value noise: smooth, with features of about `size` pixels. */
function createField(random: Random, size: number): (x: number, y: number) => number {
  const grid = Float32Array.from({ length: 4096 }, () => random());
  const node = (x: number, y: number): number => grid[(x & 63) * 64 + (y & 63)]!;
  return (x, y) => {
    const [u, v] = [x / size, y / size];
    const [i, j] = [Math.floor(u), Math.floor(v)];
    const [s, t] = [u - i, v - j].map((part) => part * part * (3 - 2 * part)) as [number, number];
    const top = node(i, j) * (1 - s) + node(i + 1, j) * s;
    return top * (1 - t) + (node(i, j + 1) * (1 - s) + node(i + 1, j + 1) * s) * t;
  };
}

function banner(random: Random): Promise<Samples> {
  const [width, height] = [whole(random, 600, 900), whole(random, 120, 260)];
  let shapes = `<defs>${gradient(random, 'a', 'linear')}${gradient(random, 'b', 'radial')}</defs>`;
  shapes += `<rect width="${width}" height="${height}" fill="url(#a)"/>`;
  for (let i = 0; i < 4; i += 1)
    shapes += `<circle cx="${random() * width}" cy="${random() * height}" r="${between(random, 30, 120)}" fill="url(#b)" opacity="${between(random, 0.2, 0.7)}"/>`;
  const lines = words(random, { x: 40, y: height / 2, width: width / 2, lines: 2, size: height / 6 });
  return paint(width, height, `${shapes}<g stroke="#fff">${lines}</g>`);
}

function logo(random: Random, index: number): Promise<Samples> {
  const size = whole(random, 160, 420);
  const main = index % 2 === 0 ? 'url(#a)' : colour(random);
  let shapes = `<defs>${gradient(random, 'a', 'linear')}</defs><circle cx="${size / 2}" cy="${size / 2}" r="${size * 0.42}" fill="${main}"/>`;
  for (let i = 0; i < 3; i += 1)
    shapes += `<path d="M${random() * size} ${random() * size}Q${random() * size} ${random() * size} ${random() * size} ${random() * size}z" fill="${colour(random)}"/>`;
  const lines = words(random, { x: size * 0.2, y: size * 0.9, width: size * 0.6, lines: 1, size: size / 9 });
  return paint(size, size, `${shapes}<g stroke="#222">${lines}</g>`);
}

/** Shaded bars, lines over a grid, and a heat map. */
function chart(random: Random, index: number): Promise<Samples> | Samples {
  const [width, height] = [whole(random, 420, 720), whole(random, 300, 480)];
  if (index % 3 === 2) return heatMap(random, width, height);
  let shapes = `<defs>${gradient(random, 'a', 'linear')}</defs>`;
  if (index % 2 === 1) shapes += `<rect width="${width}" height="${height}" fill="url(#a)" opacity="0.25"/>`;
  for (let y = 40; y < height; y += 40) shapes += `<path d="M40 ${y}H${width - 20}" stroke="#ccc"/>`;
  for (let x = 60, i = 0; x < width - 40; x += 46, i += 1) {
    const high = between(random, 40, height - 80);
    const fill = `<linearGradient id="s${i}"><stop offset="0" stop-color="${colour(random)}"/><stop offset="1" stop-color="${colour(random, 70)}"/></linearGradient>`;
    shapes += `<defs>${fill}</defs><rect x="${x}" y="${height - 40 - high}" width="34" height="${high}" fill="url(#s${i})"/>`;
  }
  const points = Array.from(
    { length: 30 },
    (_, i) => `${40 + (i * (width - 60)) / 29},${between(random, 60, height - 60)}`,
  );
  shapes += `<polyline points="${points.join(' ')}" fill="none" stroke="${colour(random, 40)}" stroke-width="2"/>`;
  const lines = words(random, { x: 60, y: height - 14, width: width - 100, lines: 1, size: 12 });
  return paint(width, height, `${shapes}<g stroke="#333">${lines}</g>`);
}

function heatMap(random: Random, width: number, height: number): Samples {
  const field = createField(random, between(random, 40, 90));
  const margin = 36;
  return paintPixels(width, height, 3, (x, y) => {
    if (x < margin || y < margin || x > width - margin || y > height - margin) return [255, 255, 255];
    const value = field(x, y) * 4;
    return [3, 2, 1].map((peak) => 255 * Math.max(0, Math.min(1, 1.5 - Math.abs(value - peak))));
  });
}

/** Step wedges, continuous ramps and colour fans, as test charts have them. */
function ramp(random: Random, index: number): Samples {
  const [width, height] = [whole(random, 300, 700), whole(random, 100, 300)];
  const steps = [11, 21, 0][index % 3]!;
  const grey = index < 3;
  const rows = grey ? 1 : 3;
  return paintPixels(width, height, 3, (x, y) => {
    const part = steps === 0 ? x / (width - 1) : Math.floor((x / width) * steps) / (steps - 1);
    if (grey) return [255 * part, 255 * part, 255 * part];
    const row = Math.floor((y / height) * rows);
    return [0, 1, 2].map((c) => (c === row ? 255 : 255 * part));
  });
}

async function scan(random: Random, index: number): Promise<Samples> {
  const [width, height] = [whole(random, 500, 640), whole(random, 700, 860)];
  const size = between(random, 9, 14);
  const lines = Math.floor((height - 120) / (size * 1.6));
  let shapes = `<g stroke="#111">${words(random, { x: 60, y: 70, width: width - 120, lines, size })}</g>`;
  if (index % 3 === 1)
    shapes += `<circle cx="${width * 0.7}" cy="${height * 0.75}" r="60" fill="none" stroke="#2038c0" stroke-width="7" opacity="0.7"/>`;
  if (index % 5 === 4)
    shapes += `<rect x="60" y="60" width="${width / 2}" height="${height / 5}" fill="${colour(random, 60)}"/>`;
  const page = await sharp((await paint(width, height, shapes)).data, { raw: { width, height, channels: 3 } })
    .blur(0.8)
    .raw()
    .toBuffer();
  const paper = [
    [250, 250, 248],
    [238, 229, 205],
    [222, 214, 196],
    [205, 204, 200],
  ][index % 4]!;
  const shade = createField(random, 300);
  const [depth, grain] = [index % 2 === 0 ? 0.12 : 0.35, between(random, 1, 5)];
  return paintPixels(width, height, 3, (x, y) => {
    const light = 1 - depth * shade(x, y);
    const own = noise(random) * grain;
    return paper.map((value, c) => (page[(y * width + x) * 3 + c]! / 255) * value * light + own);
  });
}

/** Ink, hatching and pencil on paper, in grey and in colour. */
async function lineArt(random: Random, index: number): Promise<Samples> {
  const [width, height] = [whole(random, 300, 700), whole(random, 300, 600)];
  let shapes = '';
  for (let i = 0; i < 60; i += 1) {
    const [x, y] = [random() * width, random() * height];
    const far = (): number => between(random, -140, 140);
    shapes += `<path d="M${x} ${y}q${far()} ${far()} ${far()} ${far()}"/>`;
    if (i % 4 === 0) for (let n = 0; n < 24; n += 1) shapes += `<path d="M${x + n * 4} ${y}l${18} ${42}"/>`;
  }
  const ink = ['#000', '#333', '#5a3a1a'][index % 3]!;
  const art = await paint(
    width,
    height,
    `<g fill="none" stroke="${ink}" stroke-width="${between(random, 0.8, 2.2)}">${shapes}</g>`,
  );
  if (index % 2 === 0) return art;
  const grain = between(random, 2, 8);
  return paintPixels(width, height, 1, (x, y) => [art.data[(y * width + x) * 3]! * 0.93 + noise(random) * grain]);
}

/** Cells of two stains on a bright ground. */
function tissue(random: Random, index: number): Samples {
  const [width, height] = [whole(random, 360, 560), whole(random, 300, 420)];
  const [body, cells, empty] = [
    createField(random, 26),
    createField(random, between(random, 5, 8)),
    createField(random, 60),
  ];
  const stain = [
    [214, 150, 190],
    [196, 160, 120],
    [226, 178, 196],
  ][index % 3]!;
  const nucleus = [
    [104, 68, 140],
    [92, 84, 130],
    [128, 70, 130],
  ][index % 3]!;
  const weigh = (value: number, from: number, to: number): number =>
    Math.max(0, Math.min(1, (value - from) / (to - from)));
  return paintPixels(width, height, 3, (x, y) => {
    const [own, dark, hole] = [
      weigh(body(x, y), 0.1, 0.8),
      weigh(cells(x, y), 0.62, 0.74),
      weigh(empty(x, y), 0.72, 0.82),
    ];
    const light = noise(random) * 3;
    return [0, 1, 2].map((c) => {
      const coloured = 240 + (stain[c]! - 240) * (0.4 + 0.6 * own);
      const celled = coloured + (nucleus[c]! - coloured) * dark;
      return celled + (243 - celled) * hole + light;
    });
  });
}

/** A section on black, a chest in grey, a fan of ultrasound, an eye's ground, and cells that glow. */
function radiograph(random: Random, index: number): Samples {
  const [width, height] = [whole(random, 320, 520), whole(random, 320, 480)];
  const [soft, fine] = [createField(random, 50), createField(random, 6)];
  const shape = index % 6;
  return paintPixels(width, height, shape >= 4 ? 3 : 1, (x, y) => {
    const [u, v] = [(x / width - 0.5) * 2, (y / height - 0.5) * 2];
    const value = 60 + 120 * soft(x, y) + 50 * fine(x, y) + noise(random) * 4;
    const glow = Math.max(0, fine(x, y) * 1.6 - 0.9) * 255;
    const far = Math.hypot(u * 0.9, v);
    const fan = v > -0.9 && Math.abs(u) < (v + 1.05) * 0.55 && far < 0.98;
    if (shape === 0) return [far < 0.8 ? (far > 0.73 ? 235 : value) : 2];
    if (shape === 1)
      return [Math.abs(u) < 0.85 ? value * (1 - 0.5 * Math.max(0, 1 - 2.2 * Math.abs(Math.abs(u) - 0.4))) : 3];
    if (shape === 2) return [fan ? value * (0.4 + 0.8 * fine(x * 3, y * 3)) : 0];
    if (shape === 3) return [far < 0.9 ? value * 0.8 : 1];
    if (shape === 4) return far < 0.93 ? [value * 1.05, value * 0.5, value * 0.22] : [2, 2, 2];
    return [noise(random) + 4, 8 + glow, noise(random) + 6 + glow * 0.15];
  });
}

const PAINTERS: Record<NonPhotograph, (random: Random, index: number) => Promise<Samples> | Samples> = {
  banner,
  logo,
  chart,
  ramp,
  scan,
  'line art': lineArt,
  tissue,
  radiograph,
};
