import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

/**
 * A history as Temporal itself encodes it: the message `temporal.api.history.v1.History` in protobuf's binary form. Stack
 * traces are left out: no replay looks at them, and they tell of the machine that recorded.
 */
export function encodeHistory(history: History): Uint8Array {
  const copy = History.decode(History.encode(history).finish());
  for (const event of copy.events) forgetStackTraces(event);
  return History.encode(copy).finish();
}
export const decodeHistory = (bytes: Uint8Array): History => History.decode(bytes);

function forgetStackTraces(message: unknown): void {
  if (typeof message !== 'object' || message === null || message instanceof Uint8Array) return;
  for (const [name, value] of Object.entries(message)) {
    if (name === 'stackTrace') (message as { stackTrace: string }).stackTrace = '';
    else forgetStackTraces(value);
  }
}
