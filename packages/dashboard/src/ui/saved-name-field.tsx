import { SAVED_NAME_RULE } from '@burnish/contract';
import { capital } from '../uploads/words.ts';
import { Field } from './field.tsx';

/** Asks for the name of a preset or a look. `SAVED_NAME` tells whether it is one. */
export function SavedNameField({
  label,
  value,
  onInput,
  onEnter,
}: {
  label: string;
  value: string;
  onInput: (name: string) => void;
  /** In place of the form around it */
  onEnter?: () => void;
}) {
  return (
    <Field label={label} hint={`${capital(SAVED_NAME_RULE)}.`}>
      {(tie) => (
        <input
          {...tie}
          type="text"
          maxLength={60}
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || onEnter === undefined) return;
            event.preventDefault();
            onEnter();
          }}
        />
      )}
    </Field>
  );
}
