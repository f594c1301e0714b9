import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { onceAProcess } from '../support/once-a-process.ts';
import { createApi } from './api.ts';
import { type Instance, STARTED, startInstance } from './instance.ts';

export const OPERATOR_KEY = 'the-operators-key-of-the-tests';

/** What the operator sets for the account of a file, as in `POST /v1/operator/accounts`. */
export interface AccountOptions {
  plan?: string;
  creditsPerPeriod?: number;
}

/** An instance as one account sees it. `stop` and `killTree` are left to the process. */
export type SharedInstance = Omit<Instance, 'webhookSecret' | 'stop' | 'killTree'>;

/**
 * A new account on the instance that all test files of a process share. A file with settings, faults or restarts of its own
 * starts an instance of its own, and so does one that needs the only account of an instance.
 */
export async function sharedInstance(account: AccountOptions = {}): Promise<SharedInstance> {
  const instance = await onceAProcess('the shared instance', () =>
    // Webhooks and uploads by address are answered by servers of the tests.
    startInstance({
      shared: true,
      env: { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', BURNISH_OPERATOR_KEY: OPERATOR_KEY },
    }),
  );
  const { pid, output, url } = instance;
  if (!STARTED.some((each) => each.pid === pid))
    STARTED.push({ name: 'the shared instance', pid, output, shared: true });
  const { status, body } = await createApi(url, OPERATOR_KEY).call<{ apiKey: string }>(
    'POST',
    '/v1/operator/accounts',
    {
      body: { name: randomUUID(), ...account },
    },
  );
  if (status !== 201) throw new Error(`The shared instance created no account: ${JSON.stringify(body)}`);
  const { apiKey } = body;
  return { ...instance, apiKey, api: createApi(url, apiKey), async [Symbol.asyncDispose]() {} };
}

// An answer whose body a test left unread keeps its connection, and this process with it. Other instances close theirs as they end.
afterAll(async () => {
  const fetching = globalThis as unknown as Record<symbol, Dispatcher | undefined>;
  const dispatcher = fetching[DISPATCHER];
  if (dispatcher === undefined) return;
  fetching[DISPATCHER] = new dispatcher.constructor();
  await dispatcher.destroy();
});

/** Where Node.js keeps the connections of `fetch`. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
interface Dispatcher {
  constructor: new () => Dispatcher;
  destroy(): Promise<void>;
}
