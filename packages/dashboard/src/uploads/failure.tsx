import { explainFailure, type FailureCode } from '@burnish/contract';
import { Notice } from '../ui/notice.tsx';

export function FailureNotice({ code, detail }: { code: FailureCode | null; detail: string | null }) {
  const { detail: fault, remedy } = explainFailure(code, detail ?? 'The enhancement or analysis failed.');
  return (
    <Notice kind="bad">
      <strong>{fault}</strong> {remedy}
    </Notice>
  );
}
