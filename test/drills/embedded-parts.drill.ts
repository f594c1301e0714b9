import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { killTemporalServers } from './embedded-parts.ts';

test('20 kills of the embedded Temporal server under load lose nothing', async () => {
  await using folder = await temporaryFolder();
  const kills = await killTemporalServers(folder.path, 20);
  console.log(JSON.stringify(kills));
  expect(kills.restartsInPlace + kills.restartsOfInstance).toBe(20);
}, 1_800_000);
