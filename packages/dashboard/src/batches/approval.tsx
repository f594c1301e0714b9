import { useEffect } from 'preact/hooks';
import { type BatchPrediction, counted } from '@burnish/contract';
import type { Batch } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { creditsLeft, loadCredits } from '../uploads/credits-left.ts';
import { credits } from '../uploads/words.ts';
import '../uploads/uploads.css';

/** The one decision about a batch, with what its samples predict. */
export function Approval({
  batch: { counts, chargedCredits, maxCredits },
  prediction,
  busy,
  onApprove,
}: {
  batch: Batch;
  prediction: BatchPrediction;
  busy: boolean;
  onApprove: () => void;
}) {
  const files = counted(counts.pending, 'file');
  const price = Math.max(0, prediction.credits - chargedCredits);
  const left = creditsLeft.value;
  useEffect(loadCredits, []);
  return (
    <section class="card decision" aria-labelledby="decision">
      <h2 id="decision">Approve the other {files}?</h2>
      <dl class="figures">
        <div>
          <dt>Predicted price</dt>
          <dd>{credits(price)}</dd>
        </div>
        <div>
          <dt>Predicted time</dt>
          <dd>about {formatDuration(1000 * prediction.seconds)}</dd>
        </div>
        <div>
          <dt>Predicted failures</dt>
          <dd>{prediction.failures === 0 ? 'none' : `about ${counted(prediction.failures, 'file')}`}</dd>
        </div>
      </dl>
      {left !== undefined && left < price && (
        <Notice kind="warning">
          You have {credits(left)} left. The batch pauses when they are used. <a href="/credits">See credits</a>
        </Notice>
      )}
      <div class="actions">
        <Button kind="primary" icon="check" busy={busy} onClick={onApprove}>
          Approve {files} for {credits(price)}
        </Button>
        <p class="soft small">
          With {credits(chargedCredits)} for the samples, the batch costs {credits(chargedCredits + price)}
          {maxCredits === null ? '.' : `, and never more than ${credits(maxCredits)}.`}
        </p>
      </div>
    </section>
  );
}
