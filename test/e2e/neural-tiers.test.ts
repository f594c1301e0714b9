import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { asSharp } from '../../packages/engine/test/support/files.ts';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';
import { photo } from './files.ts';
import { startInstance, type Instance } from './instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance({ env: { BURNISH_ENGINE_TIER: 'fine' } });
});
afterAll(async () => await instance[Symbol.asyncDispose]());

async function enhance(file: Buffer, parameters: object) {
  const { body } = await instance.api.upload(file, { enhancements: [parameters] });
  const [{ id, reusedFrom, engine }] = (await instance.api.settled(body.id)).enhancements as [
    EnhancementRepresentation,
  ];
  return { id, reusedFrom, engine: engine! };
}

test('AUTO enlarges a photograph from a JPEG by FAST, and the record gives the reason', async () => {
  // Another file at each try, so that no result of an earlier one is reused.
  const file = Buffer.concat([
    await asSharp(syntheticPhotograph(800, 600)).jpeg({ quality: 90 }).toBuffer(),
    randomBytes(16),
  ]);
  const made = await enhance(file, { upscalingFactor: 'X2' });
  const reason = 'for a photograph from a JPEG of quality 90, FAST gives the better result';
  expect(made.engine.models).toEqual([expect.stringMatching(/^burnish-fast-/)]);
  expect(made.engine.steps).toContain('upscale');
  expect(made.engine.notes).toContain(`Enlarged by ${made.engine.models[0]}: ${reason}.`);
  expect(made.engine.version).toMatch(/^12\.\d+-fine-[0-9a-f]{8}$/);

  const again = await enhance(file, { upscalingFactor: 'X2', engineTier: 'AUTO' });
  expect([again.reusedFrom, again.engine.models]).toEqual([made.id, made.engine.models]);
  const fine = await enhance(file, { upscalingFactor: 'X2', engineTier: 'FINE' });
  expect(fine.reusedFrom).toBeNull();
  expect(fine.engine.models).toEqual([expect.stringMatching(/^waifu2x-photo-n\d$/)]);
  expect(fine.engine.notes).toContain(`Enlarged by ${fine.engine.models[0]}.`);
  const plain = await enhance(file, { upscalingFactor: 'X2', engineTier: 'PLAIN' });
  expect(plain.engine.models).toEqual([]);
});

test('DETAIL enlarges on request, and the record says that it may invent detail', async () => {
  const file = await asSharp(syntheticPhotograph(200, 150)).png().toBuffer();
  const { engine } = await enhance(file, { upscalingFactor: 'X4', engineTier: 'DETAIL' });
  expect(engine.models).toEqual([expect.stringMatching(/^realesr-general-x4v3-[0-9a-f]{8}$/)]);
  expect(engine.notes).toContain(`Enlarged by ${engine.models[0]}, which may invent detail.`);
});

test('an unknown tier is refused by name', async () => {
  const { status, body } = await instance.api.upload(await photo(41), { enhancements: [{ engineTier: 'BEST' }] });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('engineTier')]);
});
