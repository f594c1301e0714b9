import type { FailureCode } from '../../domain/failures.ts';
import { Notice } from '../ui/notice.tsx';
import { whatToDo } from './words.ts';

/** What went wrong, and what to do about it. */
export function FailureNotice({ code, detail }: { code: FailureCode | null; detail: string | null }) {
  const advice = whatToDo(code);
  return (
    <Notice kind="bad">
      <strong>{detail ?? 'It has failed.'}</strong>
      {advice !== undefined && <> {advice}</>}
    </Notice>
  );
}
