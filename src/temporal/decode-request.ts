import { z } from 'zod';
import { checked } from '@burnish/contract/schemas';
import type { Sealer } from '../secrets/key-ring.ts';
import { isEncrypted, openPayload } from './payload-codec.ts';

/** Maximum size of a request to a codec endpoint, in bytes. The Web UI sends the payloads of one event at a time. */
export const DECODE_BODY_BYTES = 4_000_000;

/** A payload in Temporal's codec protocol: bytes in base64. */
const payloadSchema = z.object({
  metadata: z.record(z.string().max(200), z.base64().max(10_000)).default({}),
  data: z.base64().optional(),
});
type PayloadText = z.infer<typeof payloadSchema>;

const requestSchema = z.object({ payloads: z.array(payloadSchema).max(1_000) });

const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/**
 * Responds to a `/decode` request of Temporal's remote codec protocol. Plain payloads, and those that no key of this
 * instance has encrypted, are returned unchanged.
 * @param body parsed JSON from outside
 * @throws Failure BAD_USER_INPUT for a body of another form
 */
export function decodeRequest(sealer: Sealer, body: unknown): { payloads: PayloadText[] } {
  return { payloads: checked(requestSchema, body).payloads.map((payload) => decodeText(sealer, payload)) };
}

function decodeText(sealer: Sealer, payload: PayloadText): PayloadText {
  const metadata = mapValues(payload.metadata, fromBase64);
  const read = { metadata, data: fromBase64(payload.data ?? '') };
  const plain = isEncrypted(read) ? openPayload(sealer, read, undefined) : undefined;
  if (plain === undefined) return payload;
  return { metadata: mapValues(plain.metadata ?? {}, toBase64), data: toBase64(plain.data ?? new Uint8Array()) };
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
