import { useRef, useState } from 'preact/hooks';
import { counted, KEY_PLACEHOLDERS, MAX_KEY_TEMPLATE_LENGTH } from '@burnish/contract';
import type { Enhancement } from '../api/types.ts';
import { TextField } from '../ui/text-field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Progress } from '../ui/progress.tsx';
import { useAction } from '../ui/use-action.ts';
import { orderEnhancement } from './actions.ts';

/** Keeps results of equal names apart. */
const USUAL_KEY = '{uploadId}/{name}';

/**
 * Writes finished results to a registered bucket: an order with the same parameters and another destination reuses the result at no
 * charge. One that has to be made again waits for approval.
 */
export function ExportResults({ results, onClose }: { results: readonly Enhancement[]; onClose: () => void }) {
  const [bucket, setBucket] = useState('');
  const [key, setKey] = useState(USUAL_KEY);
  const [count, setCount] = useState(0);
  /** Ids of those that are ordered: a second attempt orders the others */
  const ordered = useRef(new Set<string>());
  const form = useAction(async () => {
    for (const { id, uploadId, parameters, reference } of results) {
      if (ordered.current.has(id)) continue;
      const order = { destination: { bucket: bucket.trim(), key: key.trim() }, maxCredits: 0 };
      await orderEnhancement(uploadId, { parameters }, { ...order, reference: reference ?? undefined });
      ordered.current.add(id);
      setCount(ordered.current.size);
    }
    onClose();
  });
  return (
    <FormDialog
      title={`Export ${counted(results.length, 'result')}`}
      action="Export"
      form={form}
      field="enhancements[0].destination.bucket"
      isIncomplete={bucket.trim() === '' || key.trim() === ''}
      onClose={onClose}
    >
      {(bucketError) => (
        <>
          <p>Burnish writes the results to a bucket of your account, at no charge.</p>
          <TextField
            label="Bucket"
            hint="The name under which the operator registered it."
            error={bucketError}
            required
            maxLength={60}
            value={bucket}
            onInput={setBucket}
          />
          <TextField
            label="Key of each result"
            hint={`May contain ${KEY_PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}.`}
            required
            maxLength={MAX_KEY_TEMPLATE_LENGTH}
            value={key}
            onInput={setKey}
          />
          {form.busy && (
            <Progress
              label={`${count} of ${counted(results.length, 'result')} ordered`}
              value={count / results.length}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
