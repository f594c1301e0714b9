import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';

/** Attributes of HTML that differ between the inputs of text. */
interface Attributes {
  inputmode?: 'numeric';
  maxLength?: number;
  pattern?: string;
  required?: boolean;
  title?: string;
  value: string;
}

/** Asks for one line of text: a name, a code or a number. Browsers neither complete nor correct it. */
export function TextField({
  label,
  hint,
  error,
  onInput,
  onEnter,
  ...attributes
}: Attributes & {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  onInput: (text: string) => void;
  /** In place of the form around it */
  onEnter?: (() => void) | undefined;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tie) => (
        <input
          {...tie}
          type="text"
          autocomplete="off"
          spellcheck={false}
          {...attributes}
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
