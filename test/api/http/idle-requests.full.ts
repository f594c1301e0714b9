import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { createGate } from '../../support/gate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { poll } from '../../support/poll.ts';
import { jpeg } from '../support/files.ts';
import { testGateway } from '../support/gateway.ts';
import { openRequest } from '../support/open-request.ts';

const IDLE_MS = 100;

describe('a request that the gateway itself delays', () => {
  const timeouts: ServerResponse[] = [];
  const watch = (message: unknown): void => {
    const { response } = message as { response: ServerResponse };
    response.on('timeout', () => timeouts.push(response));
  };
  beforeEach(() => subscribe('http.server.request.start', watch));
  afterEach(() => {
    unsubscribe('http.server.request.start', watch);
    timeouts.length = 0;
  });

  test.each([
    ['before storage reads its body', (wait: () => Promise<void>) => ({ before: wait })],
    ['after its body has arrived', (wait: () => Promise<void>) => ({ after: wait })],
  ])('is accepted after several idle timeouts: %s', async (_when, waits) => {
    await using folder = await temporaryFolder();
    const storage = await openFilesystemStore(folder.path);
    const gate = createGate();
    const { before, after } = waits(() => gate.opened) as Partial<Record<'before' | 'after', () => Promise<void>>>;
    const put: typeof storage.put = async (...args) => {
      await before?.();
      const stored = await storage.put(...args);
      await after?.();
      return stored;
    };
    await using gateway = await testGateway(
      { storage: { ...storage, put }, limits: { bodyPatienceMs: IDLE_MS } },
      { idleTimeoutMs: IDLE_MS },
    );
    const photo = Buffer.concat([await jpeg(), Buffer.alloc(8_000_000)]);
    const [sent, answer] = openRequest(gateway, '/v1/uploads', {
      'content-type': 'image/jpeg',
      'content-length': String(photo.byteLength),
    });
    sent.end(photo);
    await poll(() => timeouts.length).toBeGreaterThan(2);
    gate.open();
    expect((await answer).status).toBe(202);
  });
});
