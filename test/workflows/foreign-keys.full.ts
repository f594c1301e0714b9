import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SEED_PLANS, newId, type StoredFile } from '@burnish/contract';
import { originalKey } from '../../src/domain/files/object-keys.ts';
import {
  putFile,
  uploadWorkflowId,
  MAIN_TASK_QUEUE,
  type UploadInput,
} from '../../src/domain/temporal/workflow-interface.ts';
import { initialUpload, type UploadSource } from '../../src/domain/upload/new-upload.ts';
import { useLifecycle } from './use-lifecycle.ts';

const newUploadId = (): string => newId('upl', Date.now());

describe('a Temporal client that starts workflows by itself', () => {
  const lifecycle = useLifecycle();
  /** A file of another account. */
  let foreign: { objectKey: string; file: StoredFile };
  beforeAll(async () => {
    const objectKey = originalKey(`acc_${'7'.repeat(26)}`, newUploadId());
    const { size, sha256 } = await lifecycle.store.put(objectKey, Readable.from([Buffer.from('secret')]), {
      maxBytes: 100,
    });
    foreign = { objectKey, file: { size, sha256, mimetype: 'image/jpeg' } };
  });
  beforeEach(() => {
    lifecycle.provider.calls.length = 0;
    lifecycle.problems.length = 0;
  });

  function inputOf(id: string, source: UploadSource): UploadInput {
    const account = { id: lifecycle.account.id, retentionDays: 30 };
    const at = new Date().toISOString();
    const names = { originalFilename: 'photo.jpg', provider: 'local', webhookUrl: null } as const;
    const request = { id: newId('enh', Date.now()), parameters: {} };
    return {
      initial: initialUpload({ id, account, source, at, ...names }),
      source,
      plan: SEED_PLANS.FREE,
      enhancements: [{ ...request, maxCredits: null, creditWaitMs: 0 }],
    };
  }

  const start = (id: string, input: UploadInput, workflowId = uploadWorkflowId(id)) =>
    lifecycle.env.client.workflow.start('upload', { workflowId, taskQueue: MAIN_TASK_QUEUE, args: [input] });

  const expectUntouched = async (): Promise<void> => {
    expect(lifecycle.provider.calls).toEqual([]);
    expect(await lifecycle.store.head(foreign.objectKey)).toMatchObject({ sha256: foreign.file.sha256 });
  };

  it('cannot read a file of another account: the workflow fails with the reason', async () => {
    const id = newUploadId();
    const handle = await start(id, inputOf(id, { kind: 'stored', ...foreign }));
    await expect(handle.result()).rejects.toMatchObject({
      cause: {
        type: 'INTERNAL',
        message: 'The input of recordUpload names files of another upload or account, so nothing was done.',
      },
    });
    await expectUntouched();
    // No record leads to the file either.
    expect(await lifecycle.findUpload(id)).toBeUndefined();
    expect(lifecycle.problems.length).toBeGreaterThan(0);
  });

  it('cannot read through a workflow with another id than its upload', async () => {
    const id = newUploadId();
    const handle = await start(id, inputOf(id, { kind: 'stored', ...foreign }), `upload/${newUploadId()}`);
    await expect(handle.result()).rejects.toThrow();
    await expectUntouched();
  });

  it('cannot add a file of another account to an upload that waits for one', async () => {
    const { handle } = await lifecycle.start({ declared: { size: foreign.file.size, mimetype: 'image/jpeg' } });
    const arrived = { objectKey: foreign.objectKey, ...foreign.file };
    await expect(handle.executeUpdate(putFile, { args: [arrived] })).rejects.toMatchObject({
      cause: { cause: { message: expect.stringContaining('of another upload or account') as unknown as string } },
    });
    await expectUntouched();
    expect(lifecycle.problems.length).toBeGreaterThan(0);
  });
});
