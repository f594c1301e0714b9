import { useState } from 'preact/hooks';
import type { Plan } from '@burnish/contract';
import { post } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NameField } from '../ui/name-field.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useAction } from '../ui/use-action.ts';

export function CreateAccount({
  plans,
  onCreated,
  onClose,
}: {
  plans: readonly Plan[];
  onCreated: () => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('FREE');
  const [made, setMade] = useState<{ account: Account; apiKey: string }>();
  const form = useAction(async () => {
    setMade(await post('/v1/operator/accounts', { body: { name: name.trim(), plan } }));
    onCreated();
  });
  if (made !== undefined) {
    return (
      <ShownOnce
        title={`${made.account.name} is ready`}
        label="First API key"
        value={made.apiKey}
        lost="The account was created, but the response was lost. Delete it and create another account."
        onClose={onClose}
      >
        Copy the key now. It is shown only once.
      </ShownOnce>
    );
  }
  return (
    <FormDialog title="Create account" action="Create" form={form} field="name" onClose={onClose}>
      {(nameError) => (
        <>
          <NameField error={nameError} value={name} onInput={setName} />
          <Field label="Plan">
            {(tie) => (
              <select {...tie} value={plan} onChange={(event) => setPlan(event.currentTarget.value)}>
                {plans.map(({ id, name: title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}
