import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import { acceptUnsealed, isUnsealed } from '../../src/domain/temporal/unsealed.ts';
import { createKeyRing, newKey } from '../../src/secrets/key-ring.ts';
import { createPayloadCodec } from '../../src/temporal/payload-codec.ts';

const SINCE = Date.parse('2026-01-01T00:00:00Z');
const context: SerializationContext = { type: 'workflow', namespace: 'default', workflowId: 'upload/upl_1' };
const [oldKey, key] = [newKey(), newKey()] as const;
const codecOf = (...keys: [Buffer, ...Buffer[]]) =>
  createPayloadCodec({ sealer: createKeyRing(keys).sealer('payloads'), encrypt: true, encryptedSinceMs: SINCE });
const codec = codecOf(key);
const secret = { originalFilename: 'contract of Ms Example.pdf' };
const plain = defaultPayloadConverter.toPayload(secret);

const valueOf = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);
async function sealed(by = codec): Promise<Payload> {
  return (await by.encode([plain], context))[0]!;
}
const read = async (payload: Payload, by = codec, within: SerializationContext | undefined = context) =>
  valueOf((await by.decode([payload], within))[0]!);

describe('the payload codec', () => {
  it('encrypts a value, names its key, and decrypts it', async () => {
    const payload = await sealed();
    expect(Buffer.from(payload.data!).includes('Ms Example')).toBe(false);
    expect(Buffer.from(payload.metadata!['encoding']!).toString()).toBe('binary/encrypted');
    expect(Buffer.from(payload.metadata!['encryption-key-id']!).toString()).toBe(createKeyRing([key]).keyIds[0]);
    expect(await read(payload)).toEqual(secret);
  });

  it('encrypts the same value differently each time', async () => {
    expect(Buffer.from((await sealed()).data!).equals(Buffer.from((await sealed()).data!))).toBe(false);
  });

  it('distinguishes no value from null', async () => {
    for (const value of [undefined, null]) {
      const [payload] = await codec.encode([defaultPayloadConverter.toPayload(value)], context);
      expect(await read(payload!)).toBe(value);
    }
  });

  it('decrypts with an old key, and encrypts with the first', async () => {
    const rotated = codecOf(key, oldKey);
    expect(await read(await sealed(codecOf(oldKey)), rotated)).toEqual(secret);
    expect(await read(await sealed(rotated), codecOf(key))).toEqual(secret);
  });

  it('tells of a missing key with its id and the workflow', async () => {
    const told: unknown[] = [];
    const sealer = createKeyRing([key]).sealer('payloads');
    const onMissingKey = (...facts: unknown[]): void => void told.push(facts);
    const telling = createPayloadCodec({ sealer, encrypt: true, encryptedSinceMs: SINCE, onMissingKey });
    await read(await sealed(), telling);
    await read(await sealed(codecOf(oldKey)), telling);
    expect(told).toEqual([[createKeyRing([oldKey]).keyIds[0], 'upload/upl_1']]);
  });

  it.each([
    ['another key', async () => await sealed(codecOf(newKey()))],
    ['a changed bit', async () => changed(await sealed(), (data) => (data[data.length - 1]! ^= 1))],
    ['a changed nonce', async () => changed(await sealed(), (data) => (data[0]! ^= 1))],
    ['no data', async () => ({ ...(await sealed()), data: Buffer.alloc(0) })],
    ['an empty payload', () => Promise.resolve({})],
  ])('marks a payload with %s as foreign to this instance', async (_what, make) => {
    const value = await read(await make());
    expect(isUnsealed(value)).toBe(true);
    expect(acceptUnsealed([value], SINCE + 1)).toBeUndefined();
  });

  it('refuses a payload that was encrypted for another workflow or namespace', async () => {
    for (const other of [{ workflowId: 'upload/upl_2' }, { namespace: 'other' }]) {
      expect(isUnsealed(await read(await sealed(), codec, { ...context, ...other }))).toBe(true);
    }
  });

  it('refuses a payload with a changed workflow id', async () => {
    const payload = await sealed();
    const moved = { ...context, workflowId: 'upload/upl_2' };
    payload.metadata!['encryption-context'] = Buffer.from('default/upload/upl_2');
    expect(isUnsealed(await read(payload, codec, moved))).toBe(true);
  });

  it('accepts a plain payload only in a workflow that began before encryption was on', async () => {
    const value = await read(plain);
    expect(acceptUnsealed([value], SINCE - 1)).toEqual([secret]);
    expect(acceptUnsealed([value], SINCE)).toBeUndefined();
  });

  it('writes plain payloads and still reads encrypted ones if encryption is off', async () => {
    const ring = createKeyRing([key]);
    const off = createPayloadCodec({ sealer: ring.sealer('payloads'), encrypt: false, encryptedSinceMs: 0 });
    expect(await off.encode([plain], context)).toEqual([plain]);
    expect(await read(plain, off)).toEqual(secret);
    expect(await read(await sealed(), off)).toEqual(secret);
  });
});

function changed(payload: Payload, change: (data: Buffer) => void): Payload {
  const data = Buffer.from(payload.data!);
  change(data);
  return { ...payload, data };
}
