import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSandbox } from '../../../src/engine/sandbox.ts';
import { openChannel } from '../../../src/engine/sandbox/channel.ts';
import { encodeFrame, frameReader, MAX_FRAME_BYTES } from '../../../src/engine/sandbox/frames.ts';
import { listOfTasks } from '../support/decoders.ts';

const tasksUrl = listOfTasks('speaking-tasks');
type Run = (task: string, input: object, options: { account: string }) => Promise<Record<string, unknown>>;
const ONE = { account: 'one' };

const ENOUGH_FOR_512_MB = { raw: 'a'.repeat(1024 ** 2), times: 512 };
const PROGRESS = { step: 'tone', fraction: 0.5 };
const LONGEST = Buffer.alloc(4);
LONGEST.writeUInt32BE(0xffff_ffff);
const failed = (failure: object): Buffer => encodeFrame({ id: 'a', type: 'failed', failure });

describe('a compromised decoder that sends', () => {
  test.each<[string, object]>([
    ['text that is no frame', { raw: 'garbage\n' }],
    ['512 MB without a newline', ENOUGH_FOR_512_MB],
    ['a failure without a code', { frames: [{ type: 'failed' }] }],
    ['progress without end', { frames: [{ type: 'progress', progress: PROGRESS }], times: 100_000 }],
    ['a second start', { frames: [{ type: 'ready' }] }],
    ['a result of another task', { frames: [{ type: 'done', id: randomUUID(), output: {} }] }],
    ['progress of another task', { frames: [{ type: 'progress', id: randomUUID(), progress: PROGRESS }] }],
  ])('%s costs its file, and no other', async (_, speech) => {
    const sandbox = createSandbox({ concurrency: 1, tasksUrl });
    const run = sandbox.run as unknown as Run;
    try {
      await expect(run('speak', speech, ONE)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
      expect(await run('echo', { still: 'here' }, ONE)).toEqual({ still: 'here' });
    } finally {
      await sandbox.close();
    }
  });
});

test('a second result of a task is never that of the next task', async () => {
  const sandbox = createSandbox({ concurrency: 1, tasksUrl });
  const run = sandbox.run as unknown as Run;
  try {
    expect(await run('speak', { frames: [{ type: 'done', output: { early: true } }] }, ONE)).toEqual({ early: true });
    expect(await run('echo', { still: 'here' }, ONE)).toEqual({ still: 'here' });
  } finally {
    await sandbox.close();
  }
});

describe('the reader of frames', () => {
  const read = (chunks: readonly Buffer[]): unknown[] => {
    const values: unknown[] = [];
    const take = frameReader((value) => values.push(value));
    for (const chunk of chunks) take(chunk);
    return values;
  };

  test('returns the same messages however the stream is cut', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), cuts, (values, positions) => {
        const bytes = Buffer.concat(values.map(encodeFrame));
        const edges = [0, ...positions.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
        expect(read(chunks)).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown));
      }),
    );
  });

  test('accepts the longest frame, and refuses a longer one before its bytes arrive', () => {
    const longest = encodeFrame('x'.repeat(MAX_FRAME_BYTES - 2));
    expect(read([longest])).toHaveLength(1);
    const header = Buffer.alloc(4);
    header.writeUInt32BE(MAX_FRAME_BYTES + 1);
    expect(() => read([header])).toThrow(RangeError);
  });
});

describe('the channel to a child', () => {
  /** Passes bytes to a channel. @returns its messages, and whether it reported a violation */
  const hear = (bytes: Buffer, cut: number): { messages: unknown[]; violated: boolean } => {
    const stream = Object.assign(new EventEmitter(), { destroy: () => undefined });
    const channel = openChannel(stream as unknown as Duplex);
    const messages: unknown[] = [];
    let violated = false;
    channel.on('message', (message) => messages.push(message)).on('violation', () => (violated = true));
    stream.emit('data', bytes.subarray(0, cut));
    if (!violated) stream.emit('data', bytes.subarray(cut));
    return { messages, violated };
  };

  test.each<[string, Buffer]>([
    ['the word null', Buffer.from('null\n')],
    ['a failure without a code as a line', Buffer.from('{"type":"failed"}\n')],
    ['an internal message of Node.js as a line', Buffer.from('{"cmd":"NODE_HANDLE","type":"net.Server"}\n')],
    ['a frame of 4 GB', LONGEST],
    ['an empty frame', Buffer.alloc(4)],
    ['a frame that is no JSON', Buffer.from('\0\0\0\x07garbage')],
    ['null', encodeFrame(null)],
    ['an unknown type', encodeFrame({ id: 'a', type: 'other' })],
    ['an internal message of Node.js', encodeFrame({ id: 'a', cmd: 'NODE_HANDLE', type: 'net.Server' })],
    ['a failure with a code of another part', failed({ code: 'UNAUTHENTICATED' })],
    ['a failure of the database', failed({ code: 'UNAVAILABLE', machinery: 'database' })],
    ['a failure with a long sentence', failed({ code: 'INTERNAL', detail: 'x'.repeat(5000) })],
  ])('refuses %s', (_, bytes) => {
    expect(hear(bytes, bytes.length)).toEqual({ messages: [], violated: true });
  });

  const VALID = [
    { type: 'ready' },
    { type: 'progress', id: 'a', progress: PROGRESS },
    { type: 'done', id: 'a', output: { width: 1, height: 2 } },
    { type: 'failed', id: 'a', failure: { code: 'CORRUPT_FILE', detail: 'The file is damaged.' } },
  ];
  const keys = fc.constantFrom('type', 'progress', 'failure', 'output', 'code', 'step', 'fraction', 'cmd', '__proto__');
  const words = fc.constantFrom('ready', 'progress', 'done', 'failed', 'INTERNAL', 'UNAVAILABLE', 'NODE_HANDLE');
  const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value')),
    ),
  }));
  const frames = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    anything.map(encodeFrame),
    fc.constantFrom(...VALID).map(encodeFrame),
    fc
      .tuple(fc.constantFrom(...VALID), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 4 }))
      .map(([message, changes]) => {
        const bytes = encodeFrame(message);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        return bytes;
      }),
  );

  test('passes on nothing but valid messages from 10,000 random and mutated frames, and never throws', () => {
    const seen = { messages: 0, violations: 0 };
    fc.assert(
      fc.property(fc.array(frames, { minLength: 1, maxLength: 3 }), fc.nat(100), (sent, cut) => {
        const { messages, violated } = hear(Buffer.concat(sent), cut);
        seen.messages += messages.length;
        if (violated) seen.violations += 1;
        for (const message of messages as Record<string, Record<string, unknown>>[]) {
          const { type, progress, failure } = message;
          expect(['ready', 'progress', 'done', 'failed']).toContain(type);
          if (String(type) === 'progress') {
            expect(typeof progress!['step']).toBe('string');
            expect(Math.abs(Number(progress!['fraction']) - 0.5)).toBeLessThanOrEqual(0.5);
          }
          if (String(type) === 'failed') expect(failure!['code']).toMatch(/^[A-Z_]+$/);
        }
      }),
      { numRuns: 10_000 },
    );
    // Both outcomes are frequent, so that neither half of the checks is empty.
    expect(seen.messages).toBeGreaterThan(500);
    expect(seen.violations).toBeGreaterThan(500);
  });

  // A task without a result has no output in JSON.
  test.each([VALID[2], { type: 'done', id: 'a' }])(
    'reads a whole task of the engine without a violation (%j)',
    (done) => {
      const messages = [VALID[1], done];
      expect(hear(Buffer.concat(messages.map(encodeFrame)), 10)).toEqual({ messages, violated: false });
    },
  );
});
