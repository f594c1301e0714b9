import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { installRuntime } from '../../src/runtime/temporal.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { testPort } from '../support/test-port.ts';

const PROBLEMS: string[] = [];
const log = { warn: () => undefined, error: (_: object, message: string) => void PROBLEMS.push(message) };

// A process has one runtime of the SDK. Other test files of this process install theirs before and after.
beforeEach(() => Runtime.instance().shutdown());
afterEach(() => Runtime.instance().shutdown());

test('the Temporal SDK serves its own metrics at the configured address, under Prometheus names', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(() => installRuntime(log, `127.0.0.1:${port}`)).toThrow(/Change BURNISH_TEMPORAL_METRICS_ADDRESS/);
  taken.close();

  const address = `127.0.0.1:${await testPort()}`;
  installRuntime(log, address);
  await using dev = await createDevEnvironment();
  const connection = await NativeConnection.connect({ address: dev.environment.address });
  await connection.close();
  const text = await (await fetch(`http://${address}/metrics`)).text();
  expect(text).toMatch(/^temporal_request_total\{/m);
  expect(text).toMatch(/^temporal_request_latency_seconds_bucket\{/m);
  expect(PROBLEMS).toEqual([]);
});
