import { z } from 'zod';
import type { Sealer } from './key-ring.ts';

/** The use of a pass. A pass of one kind is never valid for another. */
export type PassKind = 'way in' | 'cookie';

const bodySchema = z.strictObject({ untilMs: z.number() });
const FORM = /^([0-9a-f]{16})\.([\w-]{1,500})$/;

/** Short tokens that admit a person until they expire, made and checked by every process with the keys of the instance. */
export interface Passes {
  /** @param validMs milliseconds from now */
  issue(kind: PassKind, validMs: number): string;
  isGood(kind: PassKind, text: string): boolean;
}

/** @param now milliseconds since the epoch */
export function createPasses(sealer: Sealer, now: () => number): Passes {
  return {
    issue(kind, validMs) {
      const body = Buffer.from(JSON.stringify({ untilMs: now() + validMs }));
      return `${sealer.keyId}.${sealer.seal(body, kind).toString('base64url')}`;
    },
    isGood(kind, text) {
      const [, keyId = '', body = ''] = FORM.exec(text) ?? [];
      const plain = sealer.open(keyId, Buffer.from(body, 'base64url'), kind);
      return plain !== undefined && now() < bodySchema.parse(JSON.parse(plain.toString())).untilMs;
    },
  };
}
