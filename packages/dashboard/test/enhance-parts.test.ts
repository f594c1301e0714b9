import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { boundPan, movedByKey, panToward } from '../src/compare/view.ts';
import { checkFile, sniff } from '../src/enhance/check-file.ts';
import { imagePrice, changesNothing } from '../src/enhance/price.ts';
import { enhancementState, summarizeParameters } from '../src/uploads/words.ts';
import { heic, pdfWithPhoto, picture } from '../../../test/e2e/files.ts';

describe('the dashboard detects a file by its first bytes', () => {
  test('as the gateway does', async () => {
    const image = picture(64, 64);
    expect(sniff(await image.jpeg().toBuffer())).toBe('image/jpeg');
    expect(sniff(await image.png().toBuffer())).toBe('image/png');
    expect(sniff(await image.tiff().toBuffer())).toBe('image/tiff');
    expect(sniff(await image.webp().toBuffer())).toBe('image/webp');
    expect(sniff(await image.clone().avif().toBuffer())).toBe('image/avif');
    expect(sniff(await image.clone().gif().toBuffer())).toBe('image/gif');
    expect(sniff(await heic())).toBe('image/heic');
    expect(sniff(await pdfWithPhoto())).toBe('application/pdf');
    expect(sniff(Buffer.from('BM'))).toBe('image/bmp');
    expect(sniff(Buffer.from('8BPS of Photoshop'))).toBeUndefined();
  });

  test('and refuses an animated AVIF, with the remedy, before it is sent', async () => {
    const bytes = new Uint8Array(await readFile(new URL('../../engine/test/fixtures/animated.avif', import.meta.url)));
    const still = new Uint8Array(await picture(64, 64).avif().toBuffer());
    expect(await checkFile(new File([bytes, new Uint8Array(30_000)], 'a.avif'))).toEqual({
      why: 'An animated AVIF cannot be enhanced. Send one of its frames, or an animated WebP or GIF.',
    });
    expect(await checkFile(new File([still, new Uint8Array(30_000)], 'a.avif'))).toEqual({ type: 'image/avif' });
  });

  test('whatever the bytes are', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => void sniff(bytes)));
  });
});

describe('an image in its viewport', () => {
  const side = fc.integer({ min: 1, max: 5000 });
  const size = fc.record({ width: side, height: side });
  const at = fc.integer({ min: -20_000, max: 20_000 });

  test('fills it if it is larger, and is centred if it is smaller', () => {
    fc.assert(
      fc.property(at, at, size, size, (x, y, inner, window) => {
        const placed = boundPan({ x, y }, inner, window);
        for (const [from, length, room] of [
          [placed.x, inner.width, window.width],
          [placed.y, inner.height, window.height],
        ] as const) {
          if (length > room) expect(from <= 0 && from + length >= room).toBe(true);
          else expect(from * 2 + length).toBeCloseTo(room);
        }
      }),
    );
  });

  test('is enlarged around the chosen point, as far as its edges allow', () => {
    const [inner, window] = [
      { width: 2000, height: 1000 },
      { width: 500, height: 250 },
    ];
    expect(panToward({ x: 250, y: 125 }, inner, window)).toEqual({ x: -750, y: -375 });
    expect(panToward({ x: 0, y: 0 }, inner, window)).toEqual({ x: 0, y: 0 });
    expect(panToward({ x: 500, y: 250 }, inner, window)).toEqual({ x: -1500, y: -750 });
  });

  test('has a divider that no key moves outside', () => {
    const keys = fc.constantFrom(
      'ArrowLeft',
      'ArrowRight',
      'ArrowUp',
      'ArrowDown',
      'PageUp',
      'PageDown',
      'Home',
      'End',
    );
    fc.assert(
      fc.property(keys, fc.boolean(), fc.integer({ min: 0, max: 100 }), (key, shift, position) => {
        const moved = movedByKey(key, shift, position)!;
        expect(moved >= 0 && moved <= 100).toBe(true);
      }),
    );
    expect(movedByKey('Tab', false, 50)).toBeUndefined();
  });
});

test('the price is that of the dearest feature, and settings without effect are detected', () => {
  expect(imagePrice({})).toEqual({ min: 0, max: 1 });
  expect(imagePrice({ mode: 'OFF', upscalingFactor: 'X4' })).toEqual({ min: 4, max: 4 });
  expect(imagePrice({ mode: 'OFF', targetWidth: 800 })).toEqual({ min: 0, max: 4 });
  expect(changesNothing({ mode: 'OFF' })).toBe(true);
  expect(changesNothing({ mode: 'OFF', sharpening: 0.1 })).toBe(false);
  expect(changesNothing({ mode: 'OFF', outputFormat: 'PNG' })).toBe(false);
});

test('a waiting enhancement shows its reason instead of its state', () => {
  expect(enhancementState({ status: 'QUEUED', waitingFor: null }).label).toBe('Queued');
  expect(enhancementState({ status: 'QUEUED', waitingFor: 'storage' }).label).toBe('Waiting for storage');
  expect(enhancementState({ status: 'AWAITING_CREDITS', waitingFor: 'credits' }).tone).toBe('warning');
});

test('the summary of an enhancement names the settings that differ from their defaults', () => {
  expect(summarizeParameters({ upscalingFactor: 'X2', sharpening: 0.3 }, 'image')).toBe(
    'Enhanced colours, 2 times as large, sharpened',
  );
  expect(summarizeParameters({ mode: 'OFF', targetWidth: 800, targetHeight: 600, fit: 'COVER' }, 'image')).toBe(
    'Colours as they are, 800 pixels wide, 600 pixels high, edges cut off',
  );
  expect(summarizeParameters({ mode: 'OFF', targetWidthCm: 20.5, targetDpi: 240 }, 'image')).toBe(
    'Colours as they are, 20.5 cm wide, 240 DPI',
  );
  expect(summarizeParameters({ targetResolution: 600, customColorConfig: { auto: false } }, 'pdf')).toBe(
    'Images at 600 DPI, colours as they are',
  );
  expect(summarizeParameters({}, 'pdf')).toBe('Images at 300 DPI, light and colour corrected');
  expect(summarizeParameters({ mode: 'DOCUMENT' }, 'pdf')).toBe('Images keep their size, scanned pages cleaned');
});
