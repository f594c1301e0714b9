import { useEffect, useState } from 'preact/hooks';
import { isPending, isTerminal, type EnhancementProgress } from '@burnish/contract';
import type { Enhancement, Upload } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { curl } from '../ui/curl.ts';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Progress } from '../ui/progress.tsx';
import { Time } from '../ui/time.tsx';
import { decide } from './actions.ts';
import { Approval } from './approval.tsx';
import { Result } from './result.tsx';
import { credits, enhancementState, stepWords, summarizeParameters } from './words.ts';

export function EnhancementView({
  upload,
  enhancement,
  progress,
  onChange,
}: {
  upload: Upload;
  enhancement: Enhancement;
  progress: EnhancementProgress | undefined;
  onChange: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { status } = enhancement;
  const state = enhancementState(enhancement);
  const cancelWords = wordsOfCancel(enhancement);

  // What could not be decided then is not of this status any more.
  useEffect(() => setError(undefined), [status]);

  const act = (decision: 'approve' | 'reject' | 'cancel'): void => {
    setBusy(true);
    setError(undefined);
    decide(enhancement.id, decision)
      .catch(setError)
      .finally(() => {
        setBusy(false);
        onChange();
      });
  };

  return (
    <article class="enhancement" aria-label={summarizeParameters(enhancement.parameters, fileKind(upload))}>
      <header class="enhancement-head">
        <h3>{summarizeParameters(enhancement.parameters, fileKind(upload))}</h3>
        <span role="status">
          <Badge tone={state.tone}>{state.label}</Badge>
        </span>
        <span class="soft small">
          <Time at={enhancement.createdAt} />
          {priceWords(enhancement)}
          {enhancement.preset !== null && ` · preset ${enhancement.preset}`}
        </span>
      </header>
      {status === 'PROCESSING' && (
        <div class="at-work">
          <Progress label={`Progress of ${upload.originalFilename}`} value={progress?.fraction} />
          <p class="small soft">
            {progress === undefined
              ? 'Processing …'
              : `${stepWords(progress.step)} · ${Math.round(progress.fraction * 100)} %`}
          </p>
        </div>
      )}
      {status === 'QUEUED' && (
        <div class="at-work">
          <Progress label={`${upload.originalFilename} is queued`} />
        </div>
      )}
      {status === 'AWAITING_APPROVAL' && <Approval enhancement={enhancement} busy={busy} onDecide={act} />}
      {status !== 'AWAITING_APPROVAL' && <ExplanationNotice record={enhancement} />}
      <DestinationOutcome {...enhancement} />
      <Trouble error={error} />
      {cancelWords !== undefined && (
        <div class="actions">
          <Button kind="quiet" icon="close" busy={busy} onClick={() => act('cancel')}>
            {cancelWords}
          </Button>
        </div>
      )}
      {status === 'FINISHED' && <Result upload={upload} enhancement={enhancement} onOrdered={onChange} />}
      <div class="actions">
        <Copy what="id" value={enhancement.id} />
        {enhancement.fullUrl !== null && <Copy what="URL" value={enhancement.fullUrl} />}
        <Copy what="curl" value={orderByCurl(upload, enhancement)} />
      </div>
    </article>
  );
}

/** The button that ends what runs: the enhancement, or then the write to its destination. Undefined for nothing to end. */
function wordsOfCancel({ status, destination }: Enhancement): string | undefined {
  if (isTerminal(status)) return status === 'FINISHED' && isPending(destination) ? 'Stop writing' : undefined;
  return status === 'AWAITING_APPROVAL' ? undefined : 'Cancel';
}

/** What was charged, beside a higher estimate; before that the estimate. */
function priceWords({
  status,
  chargedCredits: charged,
  estimatedCredits: estimate,
  engine,
  basedOn,
}: Enhancement): string {
  if (charged === null) return estimate === null || isTerminal(status) ? '' : ` · at most ${credits(estimate)}`;
  if (engine?.unchanged && charged === 0) return ' · nothing to change, no charge';
  if (charged === 0 && basedOn !== null) return ' · paid before, no charge';
  const words = charged === 0 ? ' · no charge' : ` · ${credits(charged)}`;
  return estimate !== null && estimate > charged ? `${words}, estimated at ${credits(estimate)}` : words;
}

/** The command that orders the same once more. */
function orderByCurl({ id }: Upload, { parameters, preset }: Enhancement): string {
  const order = { ...parameters, ...(preset === null ? {} : { preset }) };
  return curl('POST', `/v1/uploads/${id}/enhancements`, { body: { enhancements: [order] } });
}

export const fileKind = ({ mimetype }: Upload): 'image' | 'pdf' => (mimetype === 'application/pdf' ? 'pdf' : 'image');

/** What has become of the write to the destination of a result. */
function DestinationOutcome({ status, destination }: Pick<Enhancement, 'status' | 'destination'>) {
  if (destination === null || destination.status === 'FAILED' || status !== 'FINISHED') return null;
  const { url, bucket, key } = destination;
  const place = url ?? `${bucket}/${key}`;
  const words = destination.status === 'DELIVERED' ? 'Written to' : 'Writing to';
  return (
    <p class="destination small soft">
      {words} {place}
    </p>
  );
}
