import { useEffect, useState } from 'preact/hooks';
import { FAILURES } from '../../domain/failures.ts';
import { burnish, endSession } from '../api/client.ts';
import type { Batch, BatchItem } from '../api/types.ts';
import { Picture } from '../compare/picture.tsx';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { credits } from '../uploads/words.ts';

/** The samples of a batch before and after, beside each other. */
export function ContactSheet({ batch: { id, counts } }: { batch: Batch }) {
  const [samples, setSamples] = useState<BatchItem[]>();
  const [error, setError] = useState<unknown>();
  const ended = counts.finished + counts.failed + counts.cancelled;
  const isFew = (samples?.some(({ state }) => state === 'PENDING' || state === 'RUNNING') ?? true) || ended === 0;
  // Once all samples have ended, the numbers of the batch say nothing new about them.
  useEffect(() => {
    const abort = new AbortController();
    endSession(readSamples(id, abort.signal)).then(setSamples, (failure: unknown) => {
      if (!abort.signal.aborted) setError(failure);
    });
    return () => abort.abort();
  }, [id, isFew ? ended : -1]);

  return (
    <section class="card" aria-labelledby="samples">
      <h2 id="samples">Samples</h2>
      <Trouble error={error} />
      {samples === undefined && error === undefined && <Loading />}
      <ul class="contact-sheet">
        {samples?.map((item) => (
          <Sample key={item.key} item={item} />
        ))}
      </ul>
    </section>
  );
}

async function readSamples(id: string, signal: AbortSignal): Promise<BatchItem[]> {
  const samples: BatchItem[] = [];
  for await (const item of burnish.batches.manifest(id, { samples: true, signal })) samples.push(item);
  return samples;
}

function Sample({ item }: { item: BatchItem }) {
  const { key, state, uploadId, enhancementId, errorCode } = item;
  const name = readable(key.replace(/^.*\/(?=[^/]+$)/, ''));
  const hasResult = state === 'FINISHED' && uploadId !== null && enhancementId !== null;
  return (
    <li class="sample">
      {hasResult ? (
        <div class="sample-pair">
          <Half address={`/v1/uploads/${uploadId}/preview`} label={`${name}, before`} />
          <Half address={`/v1/enhancements/${enhancementId}/preview`} label={`${name}, after`} />
        </div>
      ) : (
        <p class="sample-pair sample-trouble small">
          {state === 'FAILED' ? FAILURES[errorCode ?? 'INTERNAL'].sentence : 'Not ready yet.'}
        </p>
      )}
      <p class="sample-name small">
        {uploadId === null ? name : <a href={`/uploads/${uploadId}`}>{name}</a>}
        <span class="soft">{state === 'FINISHED' && credits(item.credits ?? 0)}</span>
      </p>
    </li>
  );
}

/** A PDF has no preview of its own; its page shows its images. */
function Half({ address, label }: { address: string; label: string }) {
  const [failed, setFailed] = useState(false);
  return (
    <span class="sample-half">
      {failed ? (
        <Icon name="file" size={26} />
      ) : (
        <Picture src={address} alt={label} lazy onFail={() => setFailed(true)} />
      )}
    </span>
  );
}

/** The end of an address, without its percent signs. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
