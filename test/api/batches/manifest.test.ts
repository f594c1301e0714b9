import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, test } from '@jest/globals';
import type { BatchItem } from '@burnish/contract';
import type { ItemRange } from '../../../src/database/batches/item-list.ts';
import { sendManifest } from '../../../src/api/batches/manifest.ts';

const ITEMS = 20_000;
const nothing = { reference: null, sample: false, attempt: 0, uploadId: null, enhancementId: null } as const;

function item(position: number): BatchItem {
  const url = `https://example.com/${String(position).padEnd(200, 'x')}.jpg`;
  return { position, key: `k${position}`, url, state: 'PENDING', credits: null, errorCode: null, ...nothing };
}

test('a long manifest waits for a slow reader, without a warning of the runtime', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const list = async (_id: string, { after = -1, limit }: ItemRange) =>
    Array.from({ length: Math.min(limit, ITEMS - 1 - after) }, (_, n) => ({
      item: item(after + 1 + n),
      enhancement: null,
    }));
  const app = express();
  app.get('/', (_req, res) => {
    const source = { batchItems: { list }, urls: {} as never };
    void sendManifest(res, source, 'bat_1', { format: 'ndjson', onlySamples: false });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const lines = (await text(response.body as never)).trim().split('\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as BatchItem).key)).size).toBe(ITEMS);
    expect(warnings).toEqual([]);
  } finally {
    server.close();
    process.off('warning', note);
  }
});
