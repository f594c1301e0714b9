import { useState } from 'preact/hooks';
import type { Batch } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Resumes a batch that has used its budget, with a higher one. */
export function RaiseBudget({
  batch: { maxCredits, prediction },
  busy,
  onResume,
}: {
  batch: Batch;
  busy: boolean;
  onResume: (maxCredits: number) => void;
}) {
  const least = (maxCredits ?? 0) + 1;
  const [budget, setBudget] = useState(String(Math.max(least, prediction?.credits ?? 0)));
  const isHigher = /^\d{1,9}$/.test(budget) && Number(budget) >= least;
  return (
    <form
      class="actions section"
      onSubmit={(event) => {
        event.preventDefault();
        if (isHigher) onResume(Number(budget));
      }}
    >
      <TextField
        label="Budget of the batch, in credits"
        hint={`The files so far have used ${least - 1}.`}
        error={isHigher ? undefined : `Enter a whole number of at least ${least}.`}
        inputmode="numeric"
        value={budget}
        onInput={(typed) => setBudget(typed.trim())}
      />
      <Button type="submit" kind="primary" busy={busy} disabled={!isHigher}>
        Resume
      </Button>
    </form>
  );
}
