import type { SentMessage, TaskMessage } from './messages.ts';

/** Bytes of a header: a length as an unsigned integer, big-endian, and the kind of the message. */
const HEADER_BYTES = 5;

/** Bounds of the JSON in a frame, which the reader checks before it parses it. */
export interface FrameLimits {
  bytes: number;
  /** Arrays and objects within each other */
  depth: number;
  /** Members of all arrays and objects */
  members: number;
}

/** Kinds of messages. The position of a kind is its number in the header. */
const KINDS = ['task', 'ready', 'progress', 'done', 'failed'] as const;
export type FrameKind = (typeof KINDS)[number];

/** Bounds of the messages about a task. `done` is the bound of a result, unless its task has another. */
export const FRAME_LIMITS: Record<FrameKind, FrameLimits> = {
  // From the parent, which needs no bound but that of its memory
  task: { bytes: 8 * 1024 ** 2, depth: 20, members: Infinity },
  ready: { bytes: 100, depth: 1, members: 2 },
  progress: { bytes: 2_000, depth: 2, members: 20 },
  done: { bytes: 256 * 1024, depth: 8, members: 2_000 },
  // A sentence and a cause. JSON escapes each of their characters in at most six bytes.
  failed: { bytes: 64 * 1024, depth: 2, members: 20 },
};

/** Characters of the longest number or word of JSON that the code of a child writes. */
const MAX_LITERAL_LENGTH = 32;

const kindOf = (message: SentMessage | TaskMessage): FrameKind => ('type' in message ? message.type : 'task');

/** Encodes a message between parent and child: the length in bytes, the kind, then JSON in UTF-8. */
export const encodeFrame = (message: SentMessage | TaskMessage): Buffer =>
  toFrame(kindOf(message), JSON.stringify(message));

export function toFrame(kind: FrameKind, text: string): Buffer {
  const json = Buffer.from(text, 'utf8');
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length);
  header.writeUInt8(KINDS.indexOf(kind), 4);
  return Buffer.concat([header, json]);
}

/**
 * Splits a stream of bytes into frames. It holds at most one frame in memory.
 * @param onMessage receives the value and the kind of each frame in order; nothing else about the value is checked
 * @param limitsOf bounds of the next frame, by its kind; undefined for a kind that is not expected
 * @returns the function that takes the next bytes. It throws RangeError for a frame beyond its bounds, before it is parsed, and
 * SyntaxError for anything but JSON. The stream has no valid continuation after an error.
 */
export function frameReader(
  onMessage: (value: unknown, kind: FrameKind) => void,
  limitsOf: (kind: FrameKind) => FrameLimits | undefined,
): (chunk: Buffer) => void {
  const newHeader = () => ({ bytes: Buffer.alloc(HEADER_BYTES), filled: 0, body: undefined as Body | undefined });
  let part = newHeader();
  return (chunk) => {
    for (let rest = chunk; rest.length > 0;) {
      const taken = rest.copy(part.bytes, part.filled);
      rest = rest.subarray(taken);
      part.filled += taken;
      if (part.filled < part.bytes.length) return;
      const { bytes, body } = part;
      if (body === undefined) {
        const next = bodyAfter(bytes, limitsOf);
        part = { bytes: Buffer.allocUnsafe(next.length), filled: 0, body: next };
      } else {
        part = newHeader();
        assertBounded(bytes, body.limits);
        onMessage(JSON.parse(bytes.toString('utf8')), body.kind);
      }
    }
  };
}

interface Body {
  kind: FrameKind;
  limits: FrameLimits;
  length: number;
}

function bodyAfter(header: Buffer, limitsOf: (kind: FrameKind) => FrameLimits | undefined): Body {
  const [length, kind] = [header.readUInt32BE(), KINDS[header.readUInt8(4)]];
  const limits = kind && limitsOf(kind);
  if (limits === undefined) throw new RangeError('A frame has an unexpected kind.');
  if (length === 0 || length > limits.bytes) throw new RangeError(`A frame of the kind ${kind} has ${length} bytes.`);
  return { kind: kind!, limits, length };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Checks the nesting and the number of members in one pass over the bytes, without building anything: the parser takes seconds for
 * some megabytes of brackets.
 * @throws RangeError
 */
function assertBounded(json: Buffer, { depth, members }: FrameLimits): void {
  let [level, found, literal] = [0, 1, 0];
  for (let at = 0; at < json.length; at += 1) {
    literal += 1;
    switch (json[at]) {
      case QUOTE:
        at = endOfText(json, at);
        literal = 0;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if ((level += 1) > depth) throw new RangeError(`A frame is nested deeper than ${depth} levels.`);
        literal = 0;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level -= 1;
        literal = 0;
        break;
      case 0x2c: // ,
        if ((found += 1) > members) throw new RangeError(`A frame has more than ${members} members.`);
        literal = 0;
        break;
      case 0x3a: // :
        literal = 0;
        break;
      default:
        if (literal > MAX_LITERAL_LENGTH) throw new RangeError('A frame has a number of too many digits.');
    }
  }
}

/** @returns the position of the quote that ends a text, or the last position of a text without an end */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length - 1;
}
