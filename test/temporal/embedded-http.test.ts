import { request } from 'node:http';
import { Client } from '@temporalio/client';
import { expect } from '@jest/globals';
import { embeddedSettings } from '../../src/temporal/connection-settings.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { hiddenUiHost } from '../../src/temporal/ui-proxy.ts';
import { listenersOf, portsOf } from '../support/listeners.ts';
import { startTestTemporal } from '../support/test-temporal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { LACKS_LINUX, testUnless } from '../support/needs.ts';

/** What a form of another site sends. @returns status and text; `no HTTP` where another protocol is spoken */
function postForm(port: number, path: string, host: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { host, origin: 'https://evil.example', 'content-type': 'text/plain' };
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, timeout: 5_000 }, (response) => {
      let text = String(response.statusCode);
      response.on('data', (chunk: Buffer) => (text += ` ${chunk.toString()}`));
      response.on('end', () => resolve(text));
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve('no HTTP'));
    sent.end(JSON.stringify({ reason: 'forged' }));
  });
}

testUnless(LACKS_LINUX)('every port of the embedded server, including its Web UI, is on the loopback', async () => {
  await using folder = await temporaryFolder();
  await using server = await startTestTemporal(folder.path, { uiHost: hiddenUiHost(), uiPort: 0 });
  const addresses = listenersOf(server.pid).map(([address]) => address);
  expect(addresses.length).toBeGreaterThan(2);
  // 127.0.0.0/8 on a machine that keeps the lowest byte first, as every platform of ours does.
  expect(addresses.filter((address) => !/^[0-9A-F]{6}7F$/.test(address))).toEqual([]);
});

testUnless(LACKS_LINUX)('no page of another origin can end a workflow of the embedded server', async () => {
  await using folder = await temporaryFolder();
  await using server = await startTestTemporal(folder.path);
  const connection = await connectTemporal(embeddedSettings(server));
  const { workflow } = new Client({ connection, namespace: server.namespace });
  const handle = await workflow.start('nobody', { taskQueue: 'none', workflowId: 'kept', args: [] });
  const path = `/api/v1/namespaces/${server.namespace}/workflows/kept/terminate`;
  const answers: string[] = [];
  for (const port of portsOf(server.pid)) {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `evil.example:${port}`]) {
      answers.push(await postForm(port, path, host));
    }
  }
  expect(answers.filter((answer) => answer.startsWith('403 ') && answer.includes('Host not allowed'))).toHaveLength(3);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await connection.close();
});
