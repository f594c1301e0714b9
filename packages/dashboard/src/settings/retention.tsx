import { useState } from 'preact/hooks';
import { RETENTION_DAYS } from '@burnish/contract';
import { patch } from '../api/client.ts';
import type { Settings } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Notice, Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';

const { min, max } = RETENTION_DAYS;

export function Retention() {
  const settings = useResource<Settings>('/v1/settings');
  const [typed, setTyped] = useState<string>();
  const [isSaved, setSaved] = useState(false);

  const days = typed ?? String(settings.data?.uploadRetentionDays ?? '');
  const wrong =
    /^\d+$/.test(days) && Number(days) >= min && Number(days) <= max
      ? undefined
      : `Enter a whole number from ${min} to ${max}.`;
  const save = useAction(async () => {
    setSaved(false);
    const saved = await patch<Settings>('/v1/settings', { body: { uploadRetentionDays: Number(days) } });
    settings.set(() => saved);
    setSaved(true);
  });

  return (
    <section class="card" aria-labelledby="retention">
      <h2 id="retention">Retention</h2>
      <Loaded resource={settings}>
        {() => (
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (wrong === undefined) save.run();
            }}
          >
            <Field
              label="Days that new uploads are kept"
              hint="Originals and results are deleted afterwards. Existing uploads keep their retention."
              error={days === '' ? undefined : wrong}
            >
              {(tie) => (
                <input
                  {...tie}
                  class="days"
                  type="number"
                  inputMode="numeric"
                  required
                  min={min}
                  max={max}
                  value={days}
                  onInput={(event) => {
                    setTyped(event.currentTarget.value);
                    setSaved(false);
                  }}
                />
              )}
            </Field>
            <Trouble error={save.error} />
            {isSaved && <Notice kind="good">Saved. It applies to new uploads.</Notice>}
            <Button kind="primary" type="submit" busy={save.busy} disabled={wrong !== undefined}>
              Save
            </Button>
          </form>
        )}
      </Loaded>
    </section>
  );
}
