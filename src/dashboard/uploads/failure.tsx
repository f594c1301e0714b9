import { FAILURES, type FailureCode } from '../../domain/failures.ts';
import { Notice } from '../ui/notice.tsx';

export function FailureNotice({ code, detail }: { code: FailureCode | null; detail: string | null }) {
  return (
    <Notice kind="bad">
      <strong>{detail ?? 'The work failed.'}</strong>
      {code !== null && <> {FAILURES[code].remedy}</>}
    </Notice>
  );
}
