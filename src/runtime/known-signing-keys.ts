import type { Logger } from 'pino';
import type { SigningKeys } from '../database/instance-secrets.ts';
import { KEY_LEAD_MS, type SigningKey } from '../domain/files/signing-key.ts';

/** Interval between reads, milliseconds: four reads before a new key signs its first token. */
const READ_MS = KEY_LEAD_MS / 4;

export interface KnownSigningKeys {
  /** The keys from the last successful read. */
  keys(): readonly SigningKey[];
  close(): void;
}

/** Polls the signing keys, because another process of the instance may replace them. */
export async function knowSigningKeys(signingKeys: Pick<SigningKeys, 'list'>, log: Logger): Promise<KnownSigningKeys> {
  let keys = await signingKeys.list();
  const readAgain = (): Promise<void> =>
    signingKeys.list().then(
      (read) => void (keys = read),
      (error: unknown) => log.warn({ err: error }, 'the keys that sign addresses could not be read again'),
    );
  const timer = setInterval(() => void readAgain(), READ_MS).unref();
  return { keys: () => keys, close: () => clearInterval(timer) };
}
