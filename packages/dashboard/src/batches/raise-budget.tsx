import { useState } from 'preact/hooks';
import type { Batch } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

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
      <Field
        label="Budget of the batch, in credits"
        hint={`The files so far have used ${least - 1}.`}
        error={isHigher ? undefined : `Enter a whole number of at least ${least}.`}
      >
        {(tie) => (
          <input
            {...tie}
            type="text"
            inputmode="numeric"
            autocomplete="off"
            value={budget}
            onInput={({ currentTarget }) => setBudget(currentTarget.value.trim())}
          />
        )}
      </Field>
      <Button type="submit" kind="primary" busy={busy} disabled={!isHigher}>
        Resume
      </Button>
    </form>
  );
}
