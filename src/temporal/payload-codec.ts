import {
  type Payload,
  type PayloadCodec,
  type SerializationContext,
  defaultPayloadConverter,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { Client, type ConnectionLike, type WorkflowClientInterceptor } from '@temporalio/client';
import { unsealed, isUnsealed, UNSEALED_SENTENCE } from '../domain/temporal/unsealed.ts';
import type { Sealer } from '../secrets/key-ring.ts';
import { SEALED_COMMANDS_HEADER } from '../domain/temporal/workflow-interface.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** As Temporal's own examples name it: the Web UI shows such a payload as encrypted. */
const ENCODING = 'binary/encrypted';
const CONTEXT = 'encryption-context';
const KEY_ID = 'encryption-key-id';

const text = (value: Uint8Array | null | undefined): string => Buffer.from(value ?? []).toString();

export interface PayloadCodecOptions {
  sealer: Sealer;
  /** Whether payloads are encrypted, and plain ones refused; those that were encrypted are read either way */
  encrypt: boolean;
  /** Milliseconds since the epoch: plain payloads of what began earlier are from before encryption was on */
  encryptedSinceMs: number;
}

/** The codec of one instance, for its workers and its clients. */
export interface InstanceCodec extends PayloadCodec {
  /** Whether it encrypts what goes out */
  readonly encrypts: boolean;
}

/** Whether a payload says that it is encrypted. */
export const isEncrypted = ({ metadata }: Payload): boolean => text(metadata?.['encoding']) === ENCODING;

/**
 * Encrypts every payload (AES-256-GCM) between Temporal and this process. A payload encrypted for one workflow is refused in another,
 * so that a copied payload starts nothing. A payload that no key of ours has encrypted does not fail the task of its workflow, which
 * Temporal would repeat without end: it arrives as a value marked by `unsealed`, and interceptors refuse it.
 */
export function createPayloadCodec({ sealer, encrypt, encryptedSinceMs }: PayloadCodecOptions): InstanceCodec {
  function decodeOne(payload: Payload, context: SerializationContext | undefined): Payload {
    if (isEncrypted(payload)) return openPayload(sealer, payload, context) ?? marked(0);
    return encrypt ? marked(encryptedSinceMs, payload) : payload;
  }
  return {
    encrypts: encrypt,
    encode: (payloads, context) =>
      Promise.resolve(encrypt ? payloads.map((payload) => sealPayload(sealer, payload, context)) : payloads),
    decode: (payloads, context) => Promise.resolve(payloads.map((payload) => decodeOne(payload, context))),
  };
}

function sealPayload(sealer: Sealer, payload: Payload, context: SerializationContext | undefined): Payload {
  const bound = contextText(context);
  return {
    metadata: {
      encoding: Buffer.from(ENCODING),
      [KEY_ID]: Buffer.from(sealer.keyId),
      [CONTEXT]: Buffer.from(bound),
    },
    data: sealer.seal(PayloadMessage.encode(payload).finish(), bound),
  };
}

/**
 * @param context the workflow that the payload has to belong to; undefined for a reader that only shows it
 * @returns undefined when no key of ours has encrypted it, or not for this workflow
 */
export function openPayload(
  sealer: Sealer,
  { metadata, data }: Payload,
  context: SerializationContext | undefined,
): Payload | undefined {
  const bound = text(metadata?.[CONTEXT]);
  if (context !== undefined && bound !== contextText(context)) return undefined;
  const plain = sealer.open(text(metadata?.[KEY_ID]), data ?? Buffer.alloc(0), bound);
  return plain && PayloadMessage.decode(plain);
}

/** Activities belong to their workflow. */
function contextText(context: SerializationContext | undefined): string {
  return context === undefined ? '' : `${context.namespace}/${context.workflowId ?? ''}`;
}

function marked(acceptedBeforeMs: number, payload?: Payload): Payload {
  const mark = payload === undefined ? unsealed(0) : markOf(acceptedBeforeMs, payload);
  return { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(mark)) };
}

function markOf(acceptedBeforeMs: number, { metadata, data }: Payload): ReturnType<typeof unsealed> {
  const encoding = text(metadata?.['encoding']);
  if (encoding === 'binary/null') return unsealed(acceptedBeforeMs);
  if (encoding !== 'json/plain') return unsealed(0);
  try {
    return unsealed(acceptedBeforeMs, JSON.parse(text(data)));
  } catch {
    return unsealed(0);
  }
}

export interface SealedClientOptions {
  connection: ConnectionLike;
  namespace: string;
  codec: InstanceCodec;
}

/** A client of Temporal whose payloads go through the codec, and whose commands prove that they come from this instance. */
export function createSealedClient({ connection, namespace, codec }: SealedClientOptions): Client {
  const workflow = codec.encrypts ? [sealCommands] : [];
  return new Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] }, interceptors: { workflow } });
}

/** An argument that says nothing, since only arguments are encrypted and thereby authenticated. */
const withArgument = <Input extends { args: unknown[] }>(input: Input): Input =>
  input.args.length === 0 ? { ...input, args: [null] } : input;

const sealCommands: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    next({
      ...input,
      headers: { ...input.headers, [SEALED_COMMANDS_HEADER]: defaultPayloadConverter.toPayload(true) },
    }),
  signal: (input, next) => next(withArgument(input)),
  startUpdate: (input, next) => next(withArgument(input)),
  async query(input, next) {
    const answer = await next(input);
    if (isUnsealed(answer)) throw new Error(UNSEALED_SENTENCE);
    return answer;
  },
};
