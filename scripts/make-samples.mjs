#!/usr/bin/env node
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createBrochure } from './samples/brochure.mjs';
import { takePhotograph } from './samples/camera.mjs';
import { renderScene } from './samples/render.mjs';
import { SCENES } from './samples/scenes.mjs';

/*
 * Generates samples/photo.jpg and samples/document.pdf. They are rendered, so that no third-party rights apply, and seeded, so
 * that every run yields the same pixels. The bytes of the JPEGs depend on the version of sharp's encoder.
 */

const SAMPLES_PER_SIDE = 2;

/** @returns {Promise<Buffer>} a scene as a JPEG file */
export async function makePhotograph(scene, samples = SAMPLES_PER_SIDE) {
  const { size, film, seed } = scene;
  const pixels = takePhotograph(renderScene(scene, { ...size, samples }), size, { seed, ...film });
  return sharp(pixels, { raw: { ...size, channels: 3 } })
    .jpeg({ quality: film.quality })
    .toBuffer();
}

async function main() {
  const folder = new URL('../samples/', import.meta.url);
  await mkdir(folder, { recursive: true });
  const photographs = {};
  for (const [name, scene] of Object.entries(SCENES)) {
    console.log(`Rendering ${name} ...`);
    photographs[name] = await makePhotograph(scene);
  }
  await keep(new URL('photo.jpg', folder), photographs.photo);
  await keep(new URL('document.pdf', folder), await createBrochure(photographs));
}

async function keep(file, bytes) {
  const before = await readFile(file).catch(() => undefined);
  await writeFile(file, bytes);
  console.log(`${fileURLToPath(file)}: ${bytes.length} bytes, ${before?.equals(bytes) ? 'as before' : 'changed'}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
