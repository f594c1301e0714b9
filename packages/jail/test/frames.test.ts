import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { openChannel } from '../src/channel/channel.ts';
import { FRAME_LIMITS, frameReader, toFrame, type FrameKind, type FrameLimits } from '../src/channel/frames.ts';
import { DEFAULT_READERS, type MessageReaders, type Progress } from '../src/channel/messages.ts';
import { EXPENSIVE, encode } from './malformed.ts';

const PROGRESS = { step: 'tone', fraction: 0.5 };
const LONGEST = Buffer.alloc(5, 3);
LONGEST.writeUInt32BE(0xffff_ffff);

const failed = (more: object): Buffer => encode({ id: 'a', type: 'failed', ...more });

/** Tasks that describe their errors by a code. */
const READERS: MessageReaders<Progress> = {
  ...DEFAULT_READERS,
  failure(value, cause) {
    const { code } = value as { code?: unknown };
    if (typeof code !== 'string' || !/^[A-Z_]+$/.test(code)) throw new TypeError('The failure has no code.');
    return Object.assign(new Error(code, { cause }), { code });
  },
};

describe('the reader of frames', () => {
  const unbounded = (): FrameLimits => ({ bytes: 1e9, depth: 1000, members: Infinity });
  const read = (chunks: readonly Buffer[], limitsOf: (kind: FrameKind) => FrameLimits = unbounded): unknown[] => {
    const values: unknown[] = [];
    const take = frameReader((value) => values.push(value), limitsOf);
    for (const chunk of chunks) take(chunk);
    return values;
  };

  test('returns the same messages however the stream is cut', () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), cuts, (values, positions) => {
        const bytes = Buffer.concat(values.map(encode));
        const edges = [0, ...positions.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
        expect(read(chunks)).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown));
      }),
    );
  });

  const kinds = Object.entries(FRAME_LIMITS) as [FrameKind, FrameLimits][];
  test.each(kinds)(
    'accepts the longest frame of the kind %s, and refuses a longer one before its bytes arrive',
    (kind, { bytes }) => {
      const longest = toFrame(kind, JSON.stringify('x'.repeat(bytes - 2)));
      expect(read([longest], (each) => FRAME_LIMITS[each])).toHaveLength(1);
      const header = toFrame(kind, '');
      header.writeUInt32BE(bytes + 1);
      expect(() => read([header], (each) => FRAME_LIMITS[each])).toThrow(RangeError);
    },
  );

  test('counts neither brackets nor commas of texts, whatever they escape', () => {
    const limits = { bytes: 1e6, depth: 1, members: 2 };
    const texts = fc.array(fc.stringMatching(/^[\\\\"[\]{},:0-9]*$/), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(texts, (value) => {
        expect(read([toFrame('done', JSON.stringify(value))], () => limits)).toEqual([value]);
        expect(() => read([toFrame('done', JSON.stringify([...value, 1]))], () => limits)).toThrow(RangeError);
        expect(() => read([toFrame('done', JSON.stringify([value]))], () => limits)).toThrow(RangeError);
      }),
    );
  });

  test.each(EXPENSIVE)('refuses %s before it is parsed', (_, { kind, before, part, times, after }) => {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const frame = toFrame(kind, before + part.repeat(times) + after);
      expect(() => read([frame], (each) => FRAME_LIMITS[each])).toThrow(RangeError);
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });
});

describe('the channel to a child', () => {
  /** Passes bytes to a channel. @returns its messages, and whether it reported a violation */
  const hear = (bytes: Buffer, cut: number): { messages: unknown[]; violated: boolean } => {
    const stream = Object.assign(new EventEmitter(), { destroy: () => undefined });
    const channel = openChannel(stream as unknown as Duplex, READERS);
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
    ['an empty frame', Buffer.alloc(5, 3)],
    ['a message of another kind', toFrame('done', JSON.stringify({ type: 'ready' }))],
    ['a task', toFrame('task', JSON.stringify({ id: 'a', task: 'echo', input: {} }))],
    ['a frame that is no JSON', toFrame('done', 'garbage')],
    ['null', encode(null)],
    ['an unknown type', encode({ id: 'a', type: 'other' })],
    ['an internal message of Node.js', encode({ id: 'a', cmd: 'NODE_HANDLE', type: 'net.Server' })],
    ['a failure without a code', failed({ failure: {} })],
    ['a long cause', failed({ cause: 'x'.repeat(9_000) })],
    ['a cause that is no text', failed({ cause: {} })],
    ['progress without a step', encode({ id: 'a', type: 'progress', progress: { fraction: 1 } })],
    ['a message with a long id', encode({ id: 'a'.repeat(101), type: 'done' })],
  ])('refuses %s', (_, bytes) => {
    expect(hear(bytes, bytes.length)).toEqual({ messages: [], violated: true });
  });

  const VALID = [
    { type: 'ready' },
    { type: 'progress', id: 'a', progress: PROGRESS },
    { type: 'done', id: 'a', output: { width: 1, height: 2 } },
    { type: 'failed', id: 'a', failure: { code: 'CORRUPT_FILE' }, cause: 'The file is damaged.' },
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
    anything.map(encode),
    fc.constantFrom(...VALID).map(encode),
    fc
      .tuple(fc.constantFrom(...VALID), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 4 }))
      .map(([message, changes]) => {
        const bytes = encode(message);
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
          const { type, progress, error } = message;
          expect(['ready', 'progress', 'done', 'failed']).toContain(type);
          if (String(type) === 'progress') {
            expect(typeof progress!['step']).toBe('string');
            expect(Math.abs(Number(progress!['fraction']) - 0.5)).toBeLessThanOrEqual(0.5);
          }
          if (String(type) === 'failed') expect(error!['code']).toMatch(/^[A-Z_]+$/);
        }
      }),
      { numRuns: 10_000 },
    );
    // Both outcomes are frequent, so that neither half of the checks is empty.
    expect(seen.messages).toBeGreaterThan(500);
    expect(seen.violations).toBeGreaterThan(500);
  });

  // A task without a result has no output in JSON.
  test.each([VALID[2], { type: 'done', id: 'a' }])('reads a whole task without a violation (%j)', (done) => {
    const messages = [VALID[1], done];
    expect(hear(Buffer.concat(messages.map(encode)), 10)).toEqual({ messages, violated: false });
  });
});
