import type { Enhancement } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { creditsLeft } from './credits-left.ts';
import { credits } from './words.ts';

export function Approval({
  enhancement,
  busy,
  onDecide,
}: {
  enhancement: Enhancement;
  busy: boolean;
  onDecide: (decision: 'approve' | 'reject') => void;
}) {
  const price = enhancement.estimatedCredits ?? 0;
  const left = creditsLeft.value;
  return (
    <div class="approval">
      <p>
        This costs <strong>{credits(price)}</strong>
        {left !== undefined && <> of the {credits(left)} you have left</>}. Nothing is charged until you approve.
      </p>
      {left !== undefined && left < price && (
        <Notice kind="warning">
          You have too few credits. After approval, the enhancement waits for credits for up to a day.{' '}
          <a href="/credits">See credits</a>
        </Notice>
      )}
      <div class="actions">
        <Button kind="primary" icon="check" busy={busy} onClick={() => onDecide('approve')}>
          Approve {credits(price)}
        </Button>
        <Button busy={busy} onClick={() => onDecide('reject')}>
          Reject
        </Button>
      </div>
    </div>
  );
}
