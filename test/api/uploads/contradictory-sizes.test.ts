import { expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

test.each<[string, object, string, string]>([
  ['STRICT without an enlargement', { fidelity: 'STRICT' }, 'upscalingFactor', 'applies to enlargements'],
  ...[
    { mode: 'DOCUMENT' },
    { noiseReductionProfilingMode: 'AUTO' },
    { artifactsDetectionRemoval: 'AUTO_AI' },
    { enhanceFaceDetails: 'ENHANCE' },
    { sharpening: 0.5 },
  ].map((change): [string, object, string, string] => {
    const [field] = Object.keys(change);
    return [`STRICT with ${field}`, { fidelity: 'STRICT', upscalingFactor: 'X2', ...change }, field!, 'the size only'];
  }),
  [
    'STRICT with the tier that may invent detail',
    { fidelity: 'STRICT', upscalingFactor: 'X2', engineTier: 'DETAIL' },
    'engineTier',
    'engineTier DETAIL may invent detail, which fidelity STRICT does not allow.',
  ],
  [
    'a page with the tier that may invent detail',
    { mode: 'DOCUMENT', engineTier: 'DETAIL' },
    'engineTier',
    'engineTier DETAIL may invent detail, which mode DOCUMENT does not allow.',
  ],
  ['STRICT with a target size', { fidelity: 'STRICT', targetWidth: 800 }, 'targetWidth', 'by whole factors'],
  ['a cut without the second side', { fit: 'COVER', targetWidth: 800 }, 'fit', 'exact size'],
  ['a fit without a target size', { fit: 'INSIDE' }, 'fit', 'a target size'],
  ['pixels with centimetres', { targetWidth: 800, targetHeightCm: 9 }, 'targetHeightCm', 'in centimetres'],
  ['a printed size of too many pixels', { targetWidthCm: 500, targetDpi: 1200 }, 'targetWidthCm', 'at 1200 DPI'],
])('an order is refused: %s', async (_what, parameters, field, fault) => {
  const body = { source: { url: 'https://example.com/a.jpg' }, enhancements: [parameters] };
  const headers = { 'Content-Type': 'application/json' };
  const response = await gateway.fetch('/v1/uploads', { method: 'POST', headers, body: JSON.stringify(body) });
  const { code, field: named, detail, remedy } = await response.json();
  expect([response.status, code, named]).toEqual([400, 'BAD_USER_INPUT', `enhancements[0].${field}`]);
  expect(detail).toContain(fault);
  expect(remedy).not.toBe('Correct the input, and try again.');
  expect(gateway.temporal.starts).toEqual([]);
});
