import { DatabaseError } from 'pg';

/** Types of messages from PostgreSQL (PostgreSQL's manual, chapter "Message Formats"). */
export const BACKEND = {
  notification: 0x41, // A
  commandComplete: 0x43, // C
  dataRow: 0x44, // D
  error: 0x45, // E
  rowDescription: 0x54, // T
  readyForQuery: 0x5a, // Z
  parseComplete: 0x31, // 1
} as const;

export interface WireField {
  name: string;
  /** PostgreSQL's type id of the column */
  typeId: number;
}

export interface WireReply {
  fields: WireField[];
  /** Text values of the last statement that returned rows or a count */
  rows: (string | null)[][];
  rowCount: number | null;
  error: DatabaseError | undefined;
}

export interface WireNotification {
  channel: string;
  payload: string;
}

/** Calls back with the type, the start and the end of each message's body. */
export function eachMessage(bytes: Uint8Array, callback: (type: number, start: number, end: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + view.getInt32(at + 1);
    callback(bytes[at]!, at + 5, end);
    at = end;
  }
}

/** Decodes a reply of PostgreSQL. Passes notifications in it to `onNotification`. */
export function decodeReply(bytes: Uint8Array, onNotification: (notification: WireNotification) => void): WireReply {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reply: WireReply = { fields: [], rows: [], rowCount: null, error: undefined };
  eachMessage(bytes, (type, start, end) => {
    switch (type) {
      case BACKEND.dataRow:
        reply.rows.push(dataRow(buffer, start));
        break;
      case BACKEND.rowDescription:
        reply.fields = rowDescription(buffer, start);
        reply.rows = [];
        break;
      case BACKEND.commandComplete:
        reply.rowCount = parseRowCount(buffer.toString('latin1', start, end - 1));
        break;
      case BACKEND.error:
        reply.error ??= databaseError(buffer, start, end);
        break;
      case BACKEND.notification:
        onNotification(notification(buffer, start));
        break;
    }
  });
  return reply;
}

function dataRow(buffer: Buffer, start: number): (string | null)[] {
  const row = new Array<string | null>(buffer.readInt16BE(start));
  let at = start + 2;
  for (let i = 0; i < row.length; i += 1) {
    const length = buffer.readInt32BE(at);
    at += 4;
    row[i] = length < 0 ? null : buffer.toString('utf8', at, at + length);
    at += Math.max(0, length);
  }
  return row;
}

function rowDescription(buffer: Buffer, start: number): WireField[] {
  const fields = new Array<WireField>(buffer.readInt16BE(start));
  let at = start + 2;
  for (let i = 0; i < fields.length; i += 1) {
    const end = buffer.indexOf(0, at);
    // After the name: table (4 bytes) and column (2), then the type (4), its size (2), its modifier (4) and the format (2)
    fields[i] = { name: buffer.toString('utf8', at, end), typeId: buffer.readInt32BE(end + 7) };
    at = end + 19;
  }
  return fields;
}

/** The last word of a tag such as `INSERT 0 1` or `SELECT 20`. */
function parseRowCount(tag: string): number | null {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return Number.isInteger(count) ? count : null;
}

function notification(buffer: Buffer, start: number): WireNotification {
  // Number of the process, then the two texts
  const channelEnd = buffer.indexOf(0, start + 4);
  const payloadEnd = buffer.indexOf(0, channelEnd + 1);
  return {
    channel: buffer.toString('utf8', start + 4, channelEnd),
    payload: buffer.toString('utf8', channelEnd + 1, payloadEnd),
  };
}

/** Names of error fields by their letter. */
const ERROR_FIELDS: Record<string, string> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  s: 'schema',
  t: 'table',
  c: 'column',
  n: 'constraint',
  R: 'routine',
};

/** The error in the form of the PostgreSQL driver, so that callers treat both databases alike. */
function databaseError(buffer: Buffer, start: number, end: number): DatabaseError {
  let message = 'PostgreSQL gave no message.';
  const facts: Record<string, string> = {};
  for (let at = start; at < end && buffer[at] !== 0;) {
    const letter = String.fromCharCode(buffer[at]!);
    const stop = buffer.indexOf(0, at + 1);
    const text = buffer.toString('utf8', at + 1, stop);
    if (letter === 'M') message = text;
    else if (ERROR_FIELDS[letter] !== undefined) facts[ERROR_FIELDS[letter]] = text;
    at = stop + 1;
  }
  return Object.assign(new DatabaseError(message, end - start, 'error'), facts);
}
