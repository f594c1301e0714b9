import {
  finalKey,
  newDestination,
  type Destination,
  FAILURES,
  type FailureCode,
  type EnhancementRepresentation,
  representParameters,
  MEDIA_TYPES,
} from '@burnish/contract';
import type { Order } from './input.ts';

/** Result of an image: one of a test key (docs/testing.md). */
const IMAGE = { mimetype: 'image/webp', width: 256, height: 192 } as const;
const PDF = { mimetype: 'application/pdf', width: 0, height: 0 } as const;
const RESULT_BYTES = 20_000;

export interface Begin {
  enhancementId: string;
  uploadId: string;
  /** Milliseconds since the epoch */
  atMs: number;
}

/** The record of a new enhancement. @throws Failure BAD_USER_INPUT for the key of a destination */
export function begunRecord(
  { parameters, preset, maxCredits, creditWait, destination, reference, customMetadata }: Order,
  { enhancementId: id, uploadId, atMs }: Begin,
  estimatedCredits: number,
): EnhancementRepresentation {
  return {
    id,
    uploadId,
    status: 'QUEUED',
    waitingFor: null,
    fullUrl: null,
    filename: null,
    mimetype: null,
    filesize: null,
    growth: null,
    width: null,
    height: null,
    engineDuration: null,
    errorCode: null,
    errorDetail: null,
    explanation: null,
    parameters: representParameters(parameters),
    preset,
    maxCredits,
    creditWait,
    estimatedCredits,
    chargedCredits: null,
    reusedFrom: null,
    basedOn: null,
    destination: destination && newDestination(destination, { uploadId, enhancementId: id, reference }),
    provider: 'TEST',
    engine: null,
    reference,
    customMetadata,
    createdAt: new Date(atMs).toISOString(),
    startedAt: null,
    finishedAt: null,
    deletedAt: null,
    progress: null,
  };
}

/** The fields of a record that the result adds, without times. No server has its URL: RFC 6761 reserves `.test`. */
export function resultFields({ kind, filename }: Order, { id, estimatedCredits }: EnhancementRepresentation) {
  const facts = kind === 'pdf' ? PDF : IMAGE;
  const name = `${filename.replace(/\.\w+$/, '')}.${MEDIA_TYPES[facts.mimetype].extension}`;
  return {
    status: 'FINISHED',
    fullUrl: `https://burnish.test/files/${id}/${encodeURIComponent(name)}`,
    filename: name,
    filesize: RESULT_BYTES,
    growth: 1,
    engineDuration: 1_000,
    chargedCredits: estimatedCredits,
    engine: {
      version: 'test',
      build: null,
      steps: ['test'],
      models: [],
      notes: [],
      unchanged: false,
      fidelity: null,
      uncertainPages: [],
      splitPages: [],
      droppedPages: [],
    },
    ...facts,
  } satisfies Partial<EnhancementRepresentation>;
}

/** The outcome of a destination, without its time: the result is written under its name, or a code tells why it is not. */
export function settledDestination(destination: Destination, name: string, code: FailureCode | undefined): Destination {
  if (code !== undefined)
    return { ...destination, status: 'FAILED', errorCode: code, errorDetail: FAILURES[code].sentence };
  return { ...destination, key: destination.key && finalKey(destination.key, name), status: 'DELIVERED' };
}
