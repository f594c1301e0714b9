import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { BATCH_LIMITS, counted, creditRange, DEFAULT_SAMPLES, nameVersion, type MediaKind } from '@burnish/contract';
import { burnish, endSession, once } from '../api/client.ts';
import { ImageForm } from '../enhance/image-form.tsx';
import { PdfForm } from '../enhance/pdf-form.tsx';
import { changesNothing, imagePrice } from '../enhance/price.ts';
import { Segments } from '../enhance/segments.tsx';
import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import type { Settings } from '../presets/presets.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { formatBytes } from '../ui/format.ts';
import { Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { capital } from '../uploads/words.ts';
import { folder, type Folder } from './folder.ts';
import { LeftOutFiles } from './left-out-files.tsx';
import { sendFolder } from './sending.ts';
import '../enhance/enhance.css';

/** A quarter of a small folder is enough to judge by. */
const firstSamples = (files: number): number => Math.min(DEFAULT_SAMPLES, Math.ceil(files / 4));

/** Asks for the settings of all files of a folder, and for the samples that a person wants to see first. */
export function NewBatch({ chosen }: { chosen: Folder }) {
  const { route } = useLocation();
  const { image, pdf } = chosen.files;
  const [kind, setKind] = useState<MediaKind>(image.length > 0 ? 'image' : 'pdf');
  const [settings, setSettings] = useState<Settings>({ parameters: {} });
  const files = chosen.files[kind];
  const [samples, setSamples] = useState<number>();
  const [maxCredits, setMaxCredits] = useState<number>();
  const { parameters, preset } = settings;
  const wantedSamples = Math.min(samples ?? firstSamples(files.length), files.length);
  const isIdle = kind === 'image' && changesNothing(parameters);
  const change = (changed: Settings['parameters']): void => setSettings({ parameters: changed });
  const start = useAction(async () => {
    const batch = await endSession(
      burnish.batches.create(
        {
          enhancements: [{ ...parameters, ...(preset && { preset: nameVersion(preset) }) }],
          samples: wantedSamples,
          reference: chosen.name.slice(0, MAX_NAME_LENGTH),
          ...(maxCredits !== undefined && { maxCredits }),
        },
        { idempotencyKey: once() },
      ),
    );
    sendFolder(batch.id, files);
    folder.value = undefined;
    route(`/batches/${batch.id}`);
  });
  const { min, max } = imagePrice(parameters);
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const other = kind === 'image' ? counted(pdf.length, 'PDF') : counted(image.length, 'image');
  return (
    <form
      class="card new-batch"
      aria-label="New batch"
      onSubmit={(event) => {
        event.preventDefault();
        if (!start.busy) start.run();
      }}
    >
      <h2>{chosen.name}</h2>
      <p>
        {counted(files.length, kind === 'image' ? 'image' : 'PDF')}, {formatBytes(size)}
      </p>
      <LeftOutFiles files={chosen.leftOut} words="cannot be enhanced" />
      {image.length > 0 && pdf.length > 0 && (
        <>
          <Segments
            label="Files of this batch"
            options={KINDS}
            value={kind}
            onChange={(next) => {
              setKind(next);
              setSettings({ parameters: {} });
            }}
          />
          <p class="hint">The {other} of the folder need a batch of their own. Choose the folder again for it.</p>
        </>
      )}
      {files.length > 0 && (
        <>
          <PresetChoice kind={kind} value={settings} onChange={setSettings} />
          {kind === 'image' ? (
            <ImageForm value={parameters} onChange={change} />
          ) : (
            <PdfForm upload={undefined} value={parameters} onChange={change} />
          )}
          <SavePreset value={settings} onChange={setSettings} />
          <div class="batch-limits">
            <Field
              label="Samples"
              hint="They run first. You approve the rest after a look at them. 0 starts all files."
            >
              {(tie) => (
                <input
                  {...tie}
                  type="number"
                  inputMode="numeric"
                  min={0}
                  max={Math.min(BATCH_LIMITS.samples, files.length)}
                  step={1}
                  placeholder={String(firstSamples(files.length))}
                  onInput={({ currentTarget: { value } }) => setSamples(value === '' ? undefined : Number(value))}
                />
              )}
            </Field>
            <Field label="Credit limit" hint="The batch pauses before it costs more. Empty: no limit.">
              {(tie) => (
                <input
                  {...tie}
                  type="number"
                  inputMode="numeric"
                  min={1}
                  step={1}
                  onInput={({ currentTarget: { value } }) => setMaxCredits(value === '' ? undefined : Number(value))}
                />
              )}
            </Field>
          </div>
          <p>
            {kind === 'image' ? (
              <strong>{capital(creditRange(min * files.length, max * files.length))}</strong>
            ) : (
              'The samples show the price.'
            )}
          </p>
        </>
      )}
      <Trouble error={start.error} />
      <div class="actions">
        {files.length > 0 && (
          <Button kind="primary" type="submit" icon="upload" busy={start.busy} disabled={isIdle}>
            {wantedSamples > 0
              ? `Send, and enhance ${counted(wantedSamples, 'sample')}`
              : `Send and enhance ${counted(files.length, 'file')}`}
          </Button>
        )}
        <Button onClick={() => (folder.value = undefined)}>Cancel</Button>
      </div>
    </form>
  );
}

/** Characters of the reference of a batch */
const MAX_NAME_LENGTH = 200;

const KINDS = [
  { value: 'image', label: 'Images' },
  { value: 'pdf', label: 'PDFs' },
] as const;
