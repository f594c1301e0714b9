import { Client, type ConnectionLike, type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { isUnsealed, UNSEALED_SENTENCE } from '../domain/temporal/unsealed.ts';
import { SEALED_COMMANDS_HEADER } from '../domain/temporal/messages.ts';
import type { InstanceCodec } from './payload-codec.ts';

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
