import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { withHistory } from '../../src/image/metadata/history.ts';
import { ENGINE_VERSION } from '../../src/version.ts';
import { asSharp, enhance, scratchFolder } from '../support/files.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const making = { agent: 'Burnish engine 12.1', steps: ['noise', 'upscale'] };
const text = (xmp: Uint8Array): string => Buffer.from(xmp).toString('utf8');

async function photograph(): Promise<string> {
  const path = scratch('photograph.jpg');
  await writeFile(path, await asSharp(syntheticPhotograph(120, 90)).jpeg({ quality: 90 }).toBuffer());
  return path;
}

describe('the history of a result', () => {
  test.each(['JPEG', 'PNG', 'TIFF', 'WEBP', 'AVIF'] as const)(
    'names the engine and its steps in a %s, and no time',
    async (outputFormat) => {
      const input = await photograph();
      const [first, second] = [
        await enhance(input, { upscalingFactor: 'X2', outputFormat }),
        await enhance(input, { upscalingFactor: 'X2', outputFormat }),
      ];
      const { xmpAsString = '' } = await sharp(first.path).metadata();
      const steps = first.steps.join(', ');
      expect(xmpAsString).toContain(`stEvt:softwareAgent="Burnish engine ${ENGINE_VERSION}-`);
      expect(xmpAsString).toContain(`stEvt:action="edited"`);
      expect(xmpAsString).toContain(`stEvt:parameters="${steps}"`);
      expect(xmpAsString).not.toMatch(/stEvt:when|\d{4}-\d\d-\d\d/);
      expect((await readFile(first.path)).equals(await readFile(second.path))).toBe(true);
    },
  );

  test('is left out with keepMetadata: false, and where no step changed a pixel', async () => {
    const input = await photograph();
    const bare = await enhance(input, { upscalingFactor: 'X2', keepMetadata: false });
    const converted = await enhance(input, { outputFormat: 'PNG' });
    expect(converted.steps).toEqual([]);
    for (const { path } of [bare, converted]) expect((await sharp(path).metadata()).xmp).toBeUndefined();
  });

  const MM = 'xmlns:mm="http://ns.adobe.com/xap/1.0/mm/"';
  const within = (content: string): Buffer =>
    Buffer.from(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${content}</rdf:RDF></x:xmpmeta>`,
    );

  test('follows the entries that a packet has, whatever its prefix', () => {
    const before = within(
      `<rdf:Description rdf:about="" ${MM}><mm:History><rdf:Seq><rdf:li>first</rdf:li></rdf:Seq></mm:History><mm:Pantry><rdf:Seq/></mm:Pantry></rdf:Description>`,
    );
    const after = text(withHistory(before, making));
    expect(after).toMatch(
      /<rdf:li>first<\/rdf:li><rdf:li [^>]*stEvt:parameters="noise, upscale"\/><\/rdf:Seq><\/mm:History>/,
    );
    expect(after.match(/:History>/g)).toHaveLength(2);
  });

  test('has the subject of its packet, and stands once after a second enhancement', () => {
    const before = within('<rdf:Description rdf:about="uuid:7" title="Hills"/>');
    const twice = text(withHistory(withHistory(before, making), making));
    expect(twice).toContain('<rdf:Description rdf:about="uuid:7" xmlns:xmpMM=');
    expect(twice.match(/<xmpMM:History>/g)).toHaveLength(1);
    expect(twice.match(/stEvt:action="edited"/g)).toHaveLength(2);
  });

  test.each([
    ['without RDF', Buffer.from('<x:xmpmeta/>')],
    ['with an empty history', within(`<rdf:Description ${MM}><mm:History/></rdf:Description>`)],
    ['of almost a segment', within(`<rdf:Description title="${'x'.repeat(64_900)}"/>`)],
  ])('leaves a packet %s as it is', (_what, packet) => {
    expect(withHistory(packet, making)).toBe(packet);
  });

  test('escapes what would end an attribute', () => {
    expect(text(withHistory(undefined, { agent: 'A&B"<', steps: ['tone'] }))).toContain('"A&amp;B&quot;&lt;"');
  });
});
