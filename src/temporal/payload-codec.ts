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
import { traceCommands } from './trace-commands.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** The name from Temporal's own examples: the Web UI shows such a payload as encrypted. */
const ENCODING = 'binary/encrypted';
const CONTEXT = 'encryption-context';
const KEY_ID = 'encryption-key-id';

const text = (value: Uint8Array | null | undefined): string => Buffer.from(value ?? []).toString();

export interface PayloadCodecOptions {
  sealer: Sealer;
  /** Whether to encrypt payloads and refuse plain ones; encrypted payloads are readable either way */
  encrypt: boolean;
  /** Milliseconds since the epoch: workflows started earlier may have plain payloads */
  encryptedSinceMs: number;
  /** Told of each payload that a key outside of the ring has encrypted, such as one that was removed too early */
  onMissingKey?: (keyId: string, workflowId: string | undefined) => void;
}

export interface InstanceCodec extends PayloadCodec {
  readonly encrypts: boolean;
}

export const isEncrypted = ({ metadata }: Payload): boolean => text(metadata?.['encoding']) === ENCODING;

/**
 * Encrypts every payload (AES-256-GCM) between Temporal and this process. A payload encrypted for one workflow is
 * refused in another, so that a copied payload starts nothing. A payload from an unknown key must not fail the
 * workflow task, since Temporal would repeat that task without end. The codec marks it as `unsealed`, and
 * interceptors refuse it.
 */
export function createPayloadCodec(options: PayloadCodecOptions): InstanceCodec {
  const { sealer, encrypt, encryptedSinceMs, onMissingKey } = options;
  function decodeOne(payload: Payload, context: SerializationContext | undefined): Payload {
    if (isEncrypted(payload)) {
      const keyId = text(payload.metadata?.[KEY_ID]);
      if (!sealer.knows(keyId)) onMissingKey?.(keyId, context?.workflowId);
      return openPayload(sealer, payload, context) ?? marked(0);
    }
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
 * @param context the required workflow of the payload; undefined for a reader that only shows it
 * @returns undefined when no key of this instance has encrypted it, or not for this workflow
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

/** The authenticated context; activities have that of their workflow. */
function contextText(context: SerializationContext | undefined): string {
  return context === undefined ? '' : `${context.namespace}/${context.workflowId ?? ''}`;
}

function marked(acceptedBeforeMs: number, payload?: Payload): Payload {
  const mark = payload === undefined ? unsealed(0) : findMark(acceptedBeforeMs, payload);
  return { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(mark)) };
}

function findMark(acceptedBeforeMs: number, { metadata, data }: Payload): ReturnType<typeof unsealed> {
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
  /** Whether a worker of this process may run the first task of a workflow that it starts; true by default */
  eagerStart?: boolean;
}

/**
 * A Temporal client that encrypts payloads with the codec, and authenticates its commands as those of this instance.
 */
export function createSealedClient(options: SealedClientOptions): Client {
  const { connection, namespace, codec, eagerStart = true } = options;
  const workflow = [traceCommands, ...(codec.encrypts ? [sealCommands] : []), ...(eagerStart ? [] : [startByServer])];
  return new Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] }, interceptors: { workflow } });
}

/** Adds an empty argument, since only arguments are encrypted and thereby authenticated. */
const withArgument = <Input extends { args: unknown[] }>(input: Input): Input =>
  input.args.length === 0 ? { ...input, args: [null] } : input;

/** A worker of this process would get the first task although its build is not promoted. */
const startByServer: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next({ ...input, options: { ...input.options, requestEagerStart: false } }),
};

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
