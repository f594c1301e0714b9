import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { MESSAGES_AT_ONCE, MESSAGES_PER_SECOND } from '../limits.ts';
import { encodeFrame, FRAME_LIMITS, frameReader, type FrameLimits } from './frames.ts';
import { readChildMessage, type ChildMessage, type MessageReaders, type TaskMessage } from './messages.ts';

interface ChannelEvents<P> {
  message: [ChildMessage<P>];
  violation: [Error];
}

/**
 * The parent's end of the stream to a child. Its bytes come from native code that may be hostile, so they are never an error of
 * the parent: after the first violation the stream is closed, and nothing else is read.
 */
export interface Channel<P> extends EventEmitter<ChannelEvents<P>> {
  /**
   * @param result bounds of the result of the task
   * @param onError receives the error of a stream that cannot be written
   */
  send(message: TaskMessage, result: FrameLimits, onError: (error: Error) => void): void;
  close(): void;
}

/**
 * Reads the messages of a child. A message without a listener is a violation, since a child speaks only when asked.
 * @param stream undefined for a child that the machine has not started
 */
export function openChannel<P>(stream: Duplex | undefined, readers: MessageReaders<P>): Channel<P> {
  const events = new EventEmitter<ChannelEvents<P>>();
  const isWithinRate = messageRate();
  const received: ChildMessage<P>[] = [];
  let done = FRAME_LIMITS.done;
  const read = frameReader(
    (value, kind) => {
      if (!isWithinRate()) throw new RangeError('The child process sends too many messages.');
      const message = readChildMessage(value, readers);
      if (message.type !== kind) throw new Error('A frame has a message of another kind.');
      received.push(message);
    },
    (kind) => (kind === 'task' ? undefined : { ...FRAME_LIMITS, done }[kind]),
  );
  stream?.on('data', (chunk: Buffer) => {
    let violation = attempt(() => read(chunk));
    for (const message of received.splice(0)) {
      if (!events.emit('message', message)) violation ??= new Error(`The child sends ${message.type} without a task.`);
    }
    if (violation === undefined) return;
    stream.destroy();
    events.emit('violation', violation);
  });
  // A child that has ended is reported by its exit.
  stream?.on('error', () => undefined);
  return Object.assign(events, {
    send(message: TaskMessage, result: FrameLimits, onError: (error: Error) => void) {
      done = result;
      if (stream === undefined) onError(new Error('The child has no channel.'));
      else stream.write(encodeFrame(message), (error) => error && onError(error));
    },
    close: () => void stream?.destroy(),
  });
}

function attempt(action: () => void): Error | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function messageRate(): () => boolean {
  let allowance = MESSAGES_AT_ONCE;
  let last = performance.now();
  return () => {
    const now = performance.now();
    allowance = Math.min(MESSAGES_AT_ONCE, allowance + ((now - last) / 1000) * MESSAGES_PER_SECOND) - 1;
    last = now;
    return allowance >= 0;
  };
}
