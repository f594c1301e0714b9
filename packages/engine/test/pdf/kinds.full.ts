import { describe, expect, it } from '@jest/globals';
import type { EnhancementParameters } from '@burnish/contract/engine';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, type Objects } from '../../../pdf/test/build-pdf.ts';
import { xObject } from './made-pictures.ts';
import { movedColours, sheet } from './mean-colours.ts';
import { nonPhotographs } from './non-photographs.ts';
import { bars, flateImage, jpegImage, photograph, type Samples } from './pictures.ts';
import { analyzeBytes, enhanceBytes, parametersOf } from './support.ts';

const scratch = await scratchFolder();

/** The model was fitted to pictures of seed 1, and its signs were chosen by those of seeds 2 to 5. */
const made = await nonPhotographs(6, 2);

describe('the kinds of images', () => {
  it('keep the mean colours of two pictures of each kind that are no photographs, one as Flate and one as JPEG', async () => {
    expect(made).toHaveLength(16);
    expect(await movedColours(made, scratch('made'))).toEqual([]);
  });

  it('keep the mean colours of a ramp whose few greys look like grain', async () => {
    const [width, height, channels] = [420, 390, 3];
    const grey = (at: number): number => {
      const down = Math.floor(at / channels / width) / height;
      return Math.round(140 + 86 * down + 6 * down * (1 - down));
    };
    const data = Buffer.from(Array.from({ length: width * height * channels }, (_, at) => grey(at)));
    const ramp = { name: 'ramp', kind: 'ramp' as const, samples: { data, width, height, channels } };
    expect(await movedColours([ramp, ramp], scratch('ramp'))).toEqual([]);
  });

  it('count a photograph as one, and charge its colour only', async () => {
    const images = [await jpegImage(photograph(400, 300)), flateImage(bars(600, 400))];
    const { analysis, facts } = await analyzeBytes(sheet(images), scratch('priced'));
    expect(facts.eligible.map(({ shows }) => shows.kind)).toEqual(['PHOTOGRAPH', 'CHART']);
    expect(analysis.statistics).toMatchObject({ colorEligible: 1, kinds: { PHOTOGRAPH: 1, CHART: 1 } });
    expect(analysis.totalCredits).toBe(1);
  });

  it('are chosen by the order, and an order decides about single images before their kind', async () => {
    const dull = (samples: Samples): Samples => {
      const data = Buffer.from(samples.data.map((value) => 60 + value * 0.4));
      return { ...samples, data };
    };
    const images = [await jpegImage(dull(photograph(400, 300))), flateImage(dull(bars(600, 400)))];
    const change = async (name: string, given: EnhancementParameters) => {
      const { work, enhanced, notes } = await enhanceBytes(sheet(images), scratch(name), parametersOf(given));
      return [work.colorOnly, enhanced, notes];
    };
    expect(await change('photograph', {})).toEqual([1, 1, []]);
    expect(await change('chart', { colorKinds: ['CHART'] })).toEqual([1, 1, []]);
    expect(await change('without', { images: { 10: { color: false } } })).toEqual([
      0,
      0,
      [{ code: 'NO_IMAGE_CHANGED', because: 'needless' }],
    ]);
    expect(await change('both', { images: { 11: { color: true } } })).toEqual([2, 2, []]);
    expect(await change('unknown', { images: { 99: { color: false } } })).toEqual([
      1,
      1,
      [{ code: 'COLORS_CANNOT_CHANGE', images: { first: [99], count: 1 } }],
    ]);
  });

  it('judge the images that fill the pages of a scanned document together', async () => {
    const scans = made.filter(({ kind }) => kind === 'scan').map(({ samples }) => samples);
    const pages = [scans[0]!, scans[1]!, photograph(620, 800)].map((samples, i) => ({
      number: 10 + i,
      image: xObject(flateImage(samples)),
    }));
    const objects: Objects = { 1: '<</Type/Catalog/Pages 2 0 R>>' };
    objects[2] = `<</Type/Pages/Kids[${pages.map((_, i) => `${20 + i} 0 R`).join(' ')}]/Count 3>>`;
    pages.forEach(({ number, image }, i) => {
      objects[number] = image;
      objects[20 + i] =
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 30 0 R/Resources<</XObject<</Im0 ${number} 0 R>>>>>>`;
    });
    objects[30] = { dict: '', data: '612 0 0 792 0 0 cm /Im0 Do' };
    const { facts } = await analyzeBytes(buildPdf(objects), scratch('document'));
    expect(facts.eligible.map(({ shows }) => shows)).toMatchObject([
      { kind: 'SCAN' },
      { kind: 'SCAN' },
      { kind: 'SCAN', reason: 'document' },
    ]);
    expect(facts.eligible.every(({ page }) => page)).toBe(true);
  });
});
