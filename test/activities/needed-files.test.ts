import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { withWorkFile } from '../../src/activities/needed-files.ts';
import { workKey } from '../../src/domain/files/object-keys.ts';
import { PLAN_OUTDATED } from '../../src/domain/temporal/workflow-interface.ts';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import { flipBit, objectPath, rot } from '../support/rot.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a damaged plan of a PDF is made again, in place of an enhancement by it', async () => {
  await using folder = await temporaryFolder();
  const store = await openFilesystemStore(folder.path);
  const put = (key: string) => store.put(key, Readable.from([Buffer.from('a plan of spans')]), { maxBytes: 100 });
  const { sha256 } = await put('acc_1/upl_1/any');
  const key = `${workKey('acc_1/upl_1/enh_1', sha256)}/plan`;
  await put(key);
  expect(await withWorkFile(store, key, () => Promise.resolve('used'))).toBe('used');
  await rot(objectPath(folder.path, key), flipBit);
  const used = withWorkFile(store, key, () => Promise.resolve('used'));
  await expect(used).rejects.toMatchObject({ type: PLAN_OUTDATED, nonRetryable: true });
});
