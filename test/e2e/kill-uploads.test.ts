import { expect, test } from '@jest/globals';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cutUpload } from './cut-upload.ts';
import { freePorts, startInstance } from './instance.ts';
import { pendingDestination, signedDestination } from './pending-destination.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 240_000;

test(
  'kill -9 of an instance loses no byte of a resumable upload on disk, and no pending destination, which costs nothing more',
  async () => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    await using s3 = await startS3Server();
    const destination = await signedDestination(s3);
    await s3.kill();
    const env = { BURNISH_ALLOWED_PRIVATE_HOSTS: new URL(s3.endpoint).host };
    const shared = { dataDir: folder.path, ports: await freePorts(), env };
    await using first = await startInstance(shared);
    const pending = await pendingDestination(first, s3, destination);
    await using upload = await cutUpload(first);
    const { used } = await first.api.credits();
    await first.killTree();

    await s3.start();
    await using second = await startInstance({ ...shared, apiKey: first.apiKey });
    await pending.expectDelivered(second);
    await upload.expectWhole(second);
    // The PDF costs four credits, the destination none.
    expect((await second.api.credits()).used).toBe(used + 4);
    expect(await second.stop()).toBe(0);
    for (const { output } of [first, second]) expect(output()).not.toContain(pending.signature);
  },
  SEVERAL_STARTS,
);

test(
  'kill -9 of an instance loses no byte of a resumable upload in S3',
  async () => {
    await using folder = await temporaryFolder();
    await copyMigratedDatabase(folder.path);
    await using s3 = await startS3Server();
    const env = { ...s3.env, BURNISH_STORAGE: `s3://${await s3.createBucket()}` };
    const shared = { dataDir: folder.path, ports: await freePorts(), env };
    await using first = await startInstance(shared);
    await using upload = await cutUpload(first);
    await first.killTree();
    await using second = await startInstance({ ...shared, apiKey: first.apiKey });
    await upload.expectWhole(second);
    expect(await second.stop()).toBe(0);
  },
  SEVERAL_STARTS,
);
