import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { killTemporalServers } from './embedded-parts.ts';

test('an instance starts a killed Temporal server again three times, then ends with its exit code', async () => {
  await using folder = await temporaryFolder();
  const { restartsInPlace, restartsOfInstance } = await killTemporalServers(folder.path, 4);
  expect({ restartsInPlace, restartsOfInstance }).toEqual({ restartsInPlace: 3, restartsOfInstance: 1 });
}, 400_000);
