import { useState } from 'preact/hooks';
import type { Plan } from '../../domain/accounts/plans.ts';
import { ApiError } from '../api/api-error.ts';
import { post } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Trouble } from '../ui/notice.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useAction } from '../ui/use-action.ts';

const MAX_NAME_LENGTH = 100;

/** Asks for name and plan, makes the account, and shows its first key this once. */
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
  const { busy, error, run } = useAction(async () => {
    setMade(await post('/v1/operator/accounts', { body: { name: name.trim(), plan } }));
    onCreated();
  });
  if (made !== undefined) {
    return (
      <ShownOnce
        title={`${made.account.name} is ready`}
        label="First API key"
        value={made.apiKey}
        lost="The account was made, but its answer was lost. Delete it and create another one."
        onClose={onClose}
      >
        Copy the key now: it is shown this once, and nobody can read it again.
      </ShownOnce>
    );
  }
  const isField = error instanceof ApiError && error.field === 'name';
  return (
    <Dialog title="Create account" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field label="Name" error={isField ? error.message : undefined}>
          {(tie) => (
            <input
              {...tie}
              type="text"
              required
              pattern=".*\S.*"
              title="A name, and not only blanks"
              maxLength={MAX_NAME_LENGTH}
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
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
        {!isField && <Trouble error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
