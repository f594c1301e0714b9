import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { once, post } from '../api/client.ts';
import type { ApiKeyWithSecret } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice, Trouble } from '../ui/notice.tsx';
import { Secret } from '../ui/secret.tsx';
import { useAction } from '../ui/use-action.ts';

const MAX_NAME_LENGTH = 100;

/** Asks for a name, makes the key, and shows it this once. */
export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [name, setName] = useState('');
  // The same for each try, so that one whose answer was lost does not make two.
  const [idempotencyKey] = useState(once);
  const [made, setMade] = useState<ApiKeyWithSecret>();
  const { busy, error, run } = useAction(async () => {
    setMade(await post<ApiKeyWithSecret>('/v1/api-keys', { body: { name: name.trim() }, idempotencyKey }));
    onCreated();
  });

  if (made !== undefined) {
    return (
      <Dialog title={`${made.name} is ready`} onClose={onClose}>
        {made.key === null ? (
          <Notice kind="warning">The key was made, but its answer was lost. Delete it and create another one.</Notice>
        ) : (
          <>
            <div class="dialog-body">Copy the key now: it is shown this once, and nobody can read it again.</div>
            <Secret label="API key" value={made.key} />
          </>
        )}
        <div class="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
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
