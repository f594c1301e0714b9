import type { Enhancement, Upload } from '../api/types.ts';
import { Notice } from '../ui/notice.tsx';

/** What a record waits for or what was wrong with it, and what to do. Empty for any other. */
export function ExplanationNotice({
  record: { explanation, waitingFor },
}: {
  record: Pick<Upload | Enhancement, 'explanation' | 'waitingFor'>;
}) {
  if (explanation === null) return null;
  return (
    <Notice kind={waitingFor === null ? 'bad' : 'warning'}>
      <strong>{explanation.detail}</strong> {explanation.remedy}
      {waitingFor === 'credits' && (
        <>
          {' '}
          <a href="/credits">See credits</a>
        </>
      )}
    </Notice>
  );
}
