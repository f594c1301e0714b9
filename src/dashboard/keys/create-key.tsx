import { useMemo, useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { once, post } from '../api/client.ts';
import type { ApiKeyWithSecret } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Trouble } from '../ui/notice.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { useAction } from '../ui/use-action.ts';

const MAX_NAME_LENGTH = 100;

/** Asks for a name, makes the key, and shows it this once. */
export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [name, setName] = useState('');
  // The same for each try with a name, so that one whose answer was lost does not make two.
  const idempotencyKey = useMemo(once, [name.trim()]);
  const [made, setMade] = useState<ApiKeyWithSecret>();
  const { busy, error, run } = useAction(async () => {
    setMade(await post<ApiKeyWithSecret>('/v1/api-keys', { body: { name: name.trim() }, idempotencyKey }));
    onCreated();
  });

  if (made !== undefined) {
    return (
      <ShownOnce
        title={`${made.name} is ready`}
        label="API key"
        value={made.key}
        lost="The key was made, but its answer was lost. Delete it and create another one."
        onClose={onClose}
      >
        Copy the key now: it is shown this once, and nobody can read it again.
      </ShownOnce>
    );
  }

  const isField = error instanceof ApiError && error.field === 'name';
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field
          label="Name"
          hint="What the key is for, such as the program that will use it."
          error={isField ? error.message : undefined}
        >
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
