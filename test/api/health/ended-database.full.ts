import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { GatewayDeps } from '../../../src/api/deps.ts';
import { DatabaseUnavailable } from '../../../src/database/unavailable.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';

const PROBLEM = 'The embedded database does not run.';
const SECRET = 'a-value-of-the-query';

let problem: string | undefined;
let gateway: TestGateway;
beforeAll(async () => {
  const refuse = (): Promise<never> => {
    const cause = new DatabaseUnavailable(undefined, 'The embedded database has stopped.');
    return Promise.reject(new Error(`Failed query: select $1\nparams: ${SECRET}`, { cause }));
  };
  const presets = new Proxy({}, { get: () => refuse }) as GatewayDeps['stores']['presets'];
  gateway = await testGateway({ failing: () => problem, stores: { presets } });
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

test('a process whose embedded database does not run is not healthy until it runs again', async () => {
  const health = async (): Promise<unknown[]> => {
    const response = await gateway.fetch('/healthz', { key: null });
    return [response.status, await response.json()];
  };
  expect(await health()).toEqual([200, { status: 'ok' }]);
  problem = PROBLEM;
  expect(await health()).toEqual([503, { status: 'failing', problem: PROBLEM }]);
  problem = undefined;
  expect(await health()).toEqual([200, { status: 'ok' }]);
});

test('the log says why the database is unavailable, without the values of the query', async () => {
  const refused = await gateway.fetch('/v1/presets');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(gateway.logged()).toContain('"reason":"The embedded database has stopped."');
  expect(gateway.logged()).not.toContain(SECRET);
});
