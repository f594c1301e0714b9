import { explainFailure, type FailureCode } from '../../domain/failures.ts';
import { Notice } from '../ui/notice.tsx';

export function FailureNotice({ code, detail }: { code: FailureCode | null; detail: string | null }) {
  const sentence = detail ?? 'The enhancement or analysis failed.';
  return (
    <Notice kind="bad">
      <strong>{sentence}</strong>
      {explainFailure(code, sentence).slice(sentence.length)}
    </Notice>
  );
}
