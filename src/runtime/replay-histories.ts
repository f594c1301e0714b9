import { Worker } from '@temporalio/worker';
import { createKeyRing, type KeyRing, newKey } from '../secrets/key-ring.ts';
import type { History } from '../temporal/history-json.ts';
import { createPayloadCodec, isEncrypted, type InstanceCodec } from '../temporal/payload-codec.ts';
import { replayedCode } from './workflow-code.ts';

export interface NamedHistory {
  workflowId: string;
  history: History;
}

export interface Replayed {
  workflowId: string;
  /** Why the history does not fit the present code; null: it fits */
  reason: string | null;
}

/**
 * Replays histories with the workflow code of this build. It changes nothing, and runs no activity.
 * @param keyRing keys of the payloads; undefined without any
 * @param namespace of the workflows, to which their payloads are bound
 */
export async function* replayHistories(
  histories: AsyncIterable<NamedHistory> | Iterable<NamedHistory>,
  { keyRing, namespace }: { keyRing: Pick<KeyRing, 'sealer'> | undefined; namespace: string },
): AsyncGenerator<Replayed> {
  /** Whether a workflow began with an encrypted payload. Operations of Nexus, and those of an instance without encryption, do not. */
  const began = new Map<string, boolean>();
  let missingKey: string | undefined;
  const sealer = (keyRing ?? createKeyRing([newKey()])).sealer('payloads');
  const onMissingKey = (keyId: string): void => void (missingKey = keyId);
  const codecs = [false, true].map((encrypt) =>
    createPayloadCodec({ sealer, encrypt, encryptedSinceMs: 0, onMissingKey }),
  );
  const codec: InstanceCodec = {
    encrypts: true,
    encode: (payloads) => Promise.resolve(payloads),
    decode: (payloads, context) => {
      const { workflowId = '' } = context ?? {};
      const own = context && { ...context, namespace };
      return codecs[Number(began.get(workflowId) ?? false)]!.decode(payloads, own);
    },
  };
  async function* noted(): AsyncGenerator<NamedHistory> {
    for await (const each of histories) {
      const [first] = each.history.events ?? [];
      const payloads = first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      began.clear();
      began.set(each.workflowId, payloads.some(isEncrypted));
      yield each;
    }
  }
  for await (const { workflowId, error } of Worker.runReplayHistories(replayedCode(codec), noted())) {
    const missing =
      missingKey && `The encryption key ${missingKey} is missing. Set BURNISH_DATA_DIR or BURNISH_ENCRYPTION_KEY.`;
    missingKey = undefined;
    yield { workflowId, reason: missing ?? error?.message ?? null };
  }
}
