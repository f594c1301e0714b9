import { useEffect, useState } from 'preact/hooks';
import { FAILURES } from '@burnish/contract';
import { burnish, endSession } from '../api/client.ts';
import type { Batch, BatchItem } from '../api/types.ts';
import { Picture } from '../compare/picture.tsx';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { credits } from '../uploads/words.ts';
import { SampleComparison, type FinishedSample } from './sample-comparison.tsx';

/** The samples of a batch before and after, beside each other. One that is chosen opens in a comparison. */
export function ContactSheet({
  batch: { id, counts },
  isLarge = false,
}: {
  batch: Batch;
  /** Somebody decides by these pictures */
  isLarge?: boolean;
}) {
  /** The key of the sample in the comparison */
  const [compared, setCompared] = useState<string>();
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

  const finished = samples?.filter(hasResult) ?? [];
  const shown = finished.find(({ key }) => key === compared);
  const step = (by: 1 | -1): void => setCompared(finished.at((finished.indexOf(shown!) + by) % finished.length)!.key);

  return (
    <section class="card" aria-labelledby="samples">
      <h2 id="samples">Samples</h2>
      <Trouble error={error} />
      {samples === undefined && error === undefined && <Loading />}
      <ul class={isLarge ? 'contact-sheet large' : 'contact-sheet'}>
        {samples?.map((item) => (
          <Sample key={item.key} item={item} onCompare={() => setCompared(item.key)} />
        ))}
      </ul>
      {shown !== undefined && (
        <SampleComparison
          sample={shown}
          name={nameOf(shown)}
          onStep={finished.length > 1 ? step : undefined}
          onClose={() => setCompared(undefined)}
        />
      )}
    </section>
  );
}

async function readSamples(id: string, signal: AbortSignal): Promise<BatchItem[]> {
  const samples: BatchItem[] = [];
  for await (const item of burnish.batches.manifest(id, { samples: true, signal })) samples.push(item);
  return samples;
}

const hasResult = (item: BatchItem): item is FinishedSample =>
  item.state === 'FINISHED' && item.uploadId !== null && item.enhancementId !== null;

/** The end of the key, as the file is called. */
const nameOf = ({ key }: BatchItem): string => readable(key.replace(/^.*\/(?=[^/]+$)/, ''));

function Sample({ item, onCompare }: { item: BatchItem; onCompare: () => void }) {
  const { state, uploadId, errorCode } = item;
  const name = nameOf(item);
  return (
    <li class="sample">
      {hasResult(item) ? (
        <div class="sample-pair">
          <Half src={`/v1/uploads/${item.uploadId}/preview`} label={`${name}, before`} />
          <Half src={`/v1/enhancements/${item.enhancementId}/preview`} label={`${name}, after`} />
          <button type="button" class="sample-open" aria-label={`Compare ${name} before and after`} onClick={onCompare}>
            <span aria-hidden="true">Compare</span>
          </button>
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
function Half({ src, label }: { src: string; label: string }) {
  const [failed, setFailed] = useState(false);
  return (
    <span class="sample-half">
      {failed ? <Icon name="file" size={26} /> : <Picture src={src} alt={label} lazy onFail={() => setFailed(true)} />}
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
