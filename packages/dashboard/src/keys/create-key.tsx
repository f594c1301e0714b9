import { useMemo, useState } from 'preact/hooks';
import { SCOPE_WORDS, type Scope } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { ApiKeyWithSecret } from '../api/types.ts';
import { session } from '../session/session.ts';
import { Choices } from '../ui/choices.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NameField } from '../ui/name-field.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useAction } from '../ui/use-action.ts';

const DAY_MS = 86_400_000;
/** What a program needs that enhances files. More is a choice, since a stolen key can do what it may. */
const USUAL_SCOPES: readonly Scope[] = ['read', 'uploads'];
const LIFETIMES = {
  '': 'Never, unless the key of this session expires',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In a year',
} as const;

export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const own = session.value?.key.scopes ?? [];
  const [scopes, setScopes] = useState<readonly Scope[]>(own.filter((scope) => USUAL_SCOPES.includes(scope)));
  const [days, setDays] = useState('');
  const [isTest, setTest] = useState(false);
  // The same for each attempt with the same input, so that a repetition after a lost answer creates no second key.
  const body = useMemo(() => wantedKey(name.trim(), scopes, days, isTest), [name.trim(), scopes, days, isTest]);
  const idempotencyKey = useMemo(once, [body]);
  const [made, setMade] = useState<ApiKeyWithSecret>();
  const form = useAction(async () => {
    setMade(await post<ApiKeyWithSecret>('/v1/api-keys', { body, idempotencyKey }));
    onCreated();
  });

  if (made !== undefined) {
    return (
      <ShownOnce
        title={`${made.name} is ready`}
        label="API key"
        value={made.key}
        lost="The key was created, but the response was lost. Delete it and create another key."
        onClose={onClose}
      >
        Copy the key now. It is shown only once.
      </ShownOnce>
    );
  }

  return (
    <FormDialog
      title="Create new key"
      action="Create"
      form={form}
      field="name"
      isIncomplete={scopes.length === 0}
      onClose={onClose}
    >
      {(nameError) => (
        <>
          <NameField
            hint="Purpose of the key, such as the name of a program."
            error={nameError}
            value={name}
            onInput={setName}
          />
          <Choices legend="Scopes" values={own} words={SCOPE_WORDS} chosen={scopes} onChange={setScopes} />
          <Field label="Expires" hint="Afterwards, requests with the key are refused.">
            {(tie) => (
              <select {...tie} value={days} onChange={(event) => setDays(event.currentTarget.value)}>
                {Object.entries(LIFETIMES).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <label class="choice">
            <input type="checkbox" checked={isTest} onChange={({ currentTarget }) => setTest(currentTarget.checked)} />
            <span>Test key: free, with files and credits of its own</span>
          </label>
        </>
      )}
    </FormDialog>
  );
}

function wantedKey(name: string, scopes: readonly Scope[], days: string, test: boolean) {
  // Absent, the key expires when the one of the session does, or never.
  const expiresAt = days === '' ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
  return { name, scopes, ...expiresAt, ...(test && { test }) };
}
