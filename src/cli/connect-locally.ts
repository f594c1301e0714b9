import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../runtime/config.ts';
import { StartupError } from '../domain/startup-error.ts';
import { readLocalAccess } from '../runtime/local-access.ts';
import type { Stack } from '../runtime/stack.ts';
import { callOperator } from './operator/call.ts';

/** An instance that receives files, and the addresses of its pages. */
export interface LocalInstance {
  baseUrl: string;
  apiKey: string;
  temporalUiUrl: string | null;
  namespace: string;
  /** Makes a link that signs in at the dashboard; absent where the key may belong to another account */
  signInLink: (() => Promise<string>) | undefined;
  /** Whether it was started for this call, and ends with it */
  isOwn: boolean;
  /** Ends the instance if it was started for this call */
  close(): Promise<void>;
}

/** Milliseconds for a running instance to answer. */
const ANSWER_WITHIN_MS = 5_000;
/** Milliseconds for one that answers to become ready. */
const READY_WITHIN_MS = 20_000;

/**
 * The instance that the flags or BURNISH_URL name, or the one that runs on this machine, or one that is started for this call.
 * @throws StartupError when a named instance cannot be used
 */
export async function connectLocally(
  named: { url?: string; apiKey?: string },
  start: () => Promise<Stack>,
): Promise<LocalInstance> {
  const { BURNISH_URL, BURNISH_API_KEY } = process.env;
  const url = named.url ?? BURNISH_URL;
  const apiKey = named.apiKey ?? BURNISH_API_KEY;
  const close = (): Promise<void> => Promise.resolve();
  const { dataDir } = readConfig(process.env);
  const local = await readLocalAccess(dataDir);
  const signInLink = apiKey === undefined ? () => makeSignInLink(dataDir) : undefined;
  if (url !== undefined) {
    const key = apiKey ?? (local?.baseUrl === url ? local.apiKey : undefined);
    if (key === undefined) throw new StartupError(`${url} requires an API key. Set --api-key or BURNISH_API_KEY.`);
    if (!(await isReady(url))) {
      throw new StartupError(`No instance of Burnish answers at ${url}. Check the URL, and that Burnish is running.`);
    }
    const unknown = { temporalUiUrl: null, namespace: 'default', signInLink: undefined };
    return { baseUrl: url, apiKey: key, ...unknown, isOwn: false, close };
  }
  if (local !== undefined && (await isReady(local.baseUrl)))
    return { ...local, apiKey: apiKey ?? local.apiKey, signInLink, isOwn: false, close };
  const stack = await start();
  if (stack.access === undefined) throw new TypeError('An instance for a command has a gateway.');
  const own = { signInLink, isOwn: true, close: () => stack.close() };
  return { ...stack.access, apiKey: apiKey ?? stack.access.apiKey, ...own };
}

async function makeSignInLink(dataDir: string): Promise<string> {
  const operator = await callOperator(dataDir);
  if (operator === undefined) throw new StartupError('The instance has stopped. Repeat the command.');
  return (await operator.signInLink()).url;
}

/** Whether an instance is ready, or becomes so soon: one that starts or has trouble answers 503, and a busy one late. */
async function isReady(baseUrl: string): Promise<boolean> {
  for (const deadline = performance.now() + READY_WITHIN_MS; ; await pause(500)) {
    const status = await readiness(baseUrl);
    if (status === 200) return true;
    if (status !== 503 || performance.now() > deadline) return false;
  }
}

/** @returns a status of HTTP, 503 for no answer in time, or undefined where nothing listens */
async function readiness(baseUrl: string): Promise<number | undefined> {
  try {
    return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })).status;
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 503 : undefined;
  }
}
