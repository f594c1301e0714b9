import { SAVED_NAME_RULE } from '@burnish/contract';
import { capital } from '../uploads/words.ts';
import { TextField } from './text-field.tsx';

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
  onEnter?: (() => void) | undefined;
}) {
  return (
    <TextField
      label={label}
      hint={`${capital(SAVED_NAME_RULE)}.`}
      maxLength={60}
      value={value}
      onInput={onInput}
      onEnter={onEnter}
    />
  );
}
