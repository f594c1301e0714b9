import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { detectMediaType } from '../src/detect.ts';

const dot = (): Sharp => sharp({ create: { width: 9, height: 9, channels: 3, background: '#345' } });

describe('detectMediaType', () => {
  test('detects the accepted formats by their first bytes', async () => {
    expect(await detectMediaType(await dot().jpeg().toBuffer())).toBe('image/jpeg');
    expect(await detectMediaType(await dot().png().toBuffer())).toBe('image/png');
    expect(await detectMediaType(await dot().webp().toBuffer())).toBe('image/webp');
    expect(await detectMediaType(await dot().avif().toBuffer())).toBe('image/avif');
    expect(await detectMediaType(await dot().gif().toBuffer())).toBe('image/gif');
    expect(await detectMediaType(await dot().tiff().toBuffer())).toBe('image/tiff');
    expect(await detectMediaType(await readFile(new URL('./fixtures/patches.heic', import.meta.url)))).toBe(
      'image/heic',
    );
    expect(await detectMediaType(Buffer.from('%PDF-1.7\n'))).toBe('application/pdf');
  });

  test('detects a TIFF whose directory lies beyond the examined bytes', async () => {
    const head = Buffer.alloc(4096, 7);
    Buffer.from('II*\0\xff\xff\xff\0', 'latin1').copy(head);
    expect(await detectMediaType(head)).toBe('image/tiff');
    Buffer.from('MM\0*\0\xff\xff\xff', 'latin1').copy(head);
    expect(await detectMediaType(head)).toBe('image/tiff');
  });

  test('detects a PDF header after other bytes, but only in the first 1024 bytes', async () => {
    const header = Buffer.from('%PDF-1.4\n');
    expect(await detectMediaType(Buffer.concat([Buffer.alloc(900, 0x20), header]))).toBe('application/pdf');
    expect(await detectMediaType(Buffer.concat([Buffer.alloc(1100, 0x20), header]))).toBeUndefined();
  });

  test('returns nothing for a file of another type', async () => {
    expect(await detectMediaType(Buffer.from('8BPS\0\x01', 'latin1'))).toBeUndefined();
    expect(await detectMediaType(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeUndefined();
    expect(await detectMediaType(new Uint8Array())).toBeUndefined();
  });
});
