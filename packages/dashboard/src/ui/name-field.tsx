import { TextField } from './text-field.tsx';

const MAX_NAME_LENGTH = 100;

/** Asks for the name of a new key or account. */
export function NameField({
  hint,
  error,
  value,
  onInput,
}: {
  hint?: string;
  error: string | undefined;
  value: string;
  onInput: (name: string) => void;
}) {
  return (
    <TextField
      label="Name"
      hint={hint}
      error={error}
      required
      pattern=".*\S.*"
      title="Enter a name of at least one visible character."
      maxLength={MAX_NAME_LENGTH}
      value={value}
      onInput={onInput}
    />
  );
}
