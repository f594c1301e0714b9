import { counted, droppedPages } from '@burnish/contract';
import type { Enhancement } from '../api/types.ts';
import { Picture } from '../compare/picture.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { creditsLeft } from './credits-left.ts';
import { credits } from './words.ts';

/** Pages that are shown before they are left out. */
const MOST_SHOWN = 100;

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
  const dropped = droppedPages(enhancement.parameters.pdf?.pages);
  return (
    <div class="approval">
      <p>
        This costs <strong>{credits(price)}</strong>
        {left !== undefined && <> of the {credits(left)} you have left</>}. Nothing is charged until you approve.
      </p>
      {dropped.length > 0 && (
        <>
          <p>
            The result would be without {counted(dropped.length, 'page')}. The original keeps all pages, and a further
            order can have them again.
          </p>
          <ul class="dropped-pages" aria-label="Pages that the result leaves out">
            {dropped.slice(0, MOST_SHOWN).map((page) => (
              <li key={page}>
                <Picture src={`/v1/uploads/${enhancement.uploadId}/pdf-pages/${page}/preview`} alt="" lazy />
                <span class="small">Page {page}</span>
              </li>
            ))}
          </ul>
        </>
      )}
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
