import type { Explanation, WaitingFor } from '@burnish/contract';
import { Notice } from './notice.tsx';

/** What a record waits for or what was wrong with it, and what to do. Empty for any other. */
export function ExplanationNotice({
  record: { explanation, waitingFor = null },
  isWaiting = waitingFor !== null,
  needsCredits = waitingFor === 'credits',
}: {
  record: { explanation: Explanation | null; waitingFor?: WaitingFor | null };
  /** It waits, and has not failed */
  isWaiting?: boolean;
  needsCredits?: boolean;
}) {
  if (explanation === null) return null;
  return (
    <Notice kind={isWaiting ? 'warning' : 'bad'}>
      <strong>{explanation.detail}</strong> {explanation.remedy}
      {needsCredits && (
        <>
          {' '}
          <a href="/credits">See credits</a>
        </>
      )}
    </Notice>
  );
}
