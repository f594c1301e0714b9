import { toFrame, type FrameKind } from '../src/channel/frames.ts';

/** A frame with any value, of the kind that it claims. */
export const encode = (value: unknown): Buffer => {
  const { type } = (value ?? {}) as { type?: string };
  const kind = ['ready', 'progress', 'failed'].find((each) => each === type) ?? 'done';
  return toFrame(kind as FrameKind, JSON.stringify(value));
};

/** Frames that take a parser seconds, or an event loop its turn: some megabytes of one part. */
export const EXPENSIVE: [string, { kind: FrameKind; before: string; part: string; times: number; after: string }][] = [
  ['objects in objects', { kind: 'done', before: '', part: '{"a":', times: 40_000, after: '1' }],
  ['arrays in objects in arrays', { kind: 'failed', before: '', part: '[{"b":', times: 10_000, after: '' }],
  ['a flat list of empty texts', { kind: 'done', before: '["', part: '","', times: 80_000, after: '"]' }],
  ['a number of 200,000 digits', { kind: 'done', before: '', part: '9', times: 200_000, after: '' }],
  ['a result of eight megabytes', { kind: 'done', before: '"', part: 'x', times: 8_000_000, after: '"' }],
  ['a progress of a megabyte', { kind: 'progress', before: '"', part: 'x', times: 1_000_000, after: '"' }],
  ['brackets within a text that ends early', { kind: 'done', before: '"\\\\"', part: '[', times: 100_000, after: '' }],
];
