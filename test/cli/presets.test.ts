import { expect, test } from '@jest/globals';
import { estimate } from '../../src/cli/enhance/estimate.ts';
import { readParameters } from '../../src/cli/enhance/enhance-options.ts';
import { runPresets } from '../../src/cli/presets/presets.ts';
import { useGateway } from '../api/support/gateway.ts';
import { storedUpload } from '../api/support/records.ts';

const gateway = useGateway();
const instance = () => ({ baseUrl: gateway.url, apiKey: gateway.key });

test('burnish presets saves the given flags, lists, shows and deletes', async () => {
  const save = { preset: 'web', upscale: 'x2', format: 'webp' };
  expect(await runPresets(instance(), { name: 'save', options: save })).toEqual([
    'web@1: upscalingFactor X2, outputFormat WEBP',
  ]);
  await runPresets(instance(), { name: 'save', options: { preset: 'print', dpi: '300', compact: true } });
  expect(await runPresets(instance(), { name: 'list', options: {} })).toEqual([
    'print@1: targetResolution 300, compact true',
    expect.stringMatching(/^web@1: /),
  ]);
  const [json] = await runPresets(instance(), { name: 'show', options: { preset: 'web@1', json: true } });
  expect(JSON.parse(json!)).toMatchObject({ name: 'web', version: 1, enhancements: [{ upscalingFactor: 'X2' }] });
  expect(await runPresets(instance(), { name: 'delete', options: { preset: 'print' } })).toEqual(['print is deleted.']);
  const shown = runPresets(instance(), { name: 'show', options: { preset: 'print' } });
  await expect(shown).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('--preset is sent for images and PDFs, and other flags take precedence', async () => {
  await runPresets(instance(), { name: 'save', options: { preset: 'large', upscale: 'x4' } });
  const { id } = await storedUpload(gateway, { width: 400, height: 300 });
  expect(await estimate(instance(), { id, preset: 'large' })).toMatch(/1600 × 1200 pixels/);
  expect(await estimate(instance(), { id, preset: 'large', upscale: 'x2' })).toMatch(/800 × 600 pixels/);
  const { image, pdf } = readParameters({ preset: 'large' });
  expect([image.parameters, pdf.parameters]).toEqual([{ preset: 'large' }, { preset: 'large' }]);
});
