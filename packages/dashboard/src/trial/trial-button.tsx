import { useState } from 'preact/hooks';
import type { ParametersRepresentation } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { TrialDialog } from './trial-dialog.tsx';

/** Opens the trial of a file. Absent for files of the hosted service, which has none. */
export function TrialButton({
  upload,
  value,
  onChange,
}: {
  upload: Upload;
  value: ParametersRepresentation;
  onChange: (parameters: ParametersRepresentation) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  if (upload.provider === 'HOSTED') return null;
  return (
    <>
      <Button icon="compare" aria-label={`Try settings on ${upload.originalFilename}`} onClick={() => setOpen(true)}>
        Try
      </Button>
      {isOpen && <TrialDialog upload={upload} value={value} onChange={onChange} onClose={() => setOpen(false)} />}
    </>
  );
}
