import { counted } from '@burnish/contract';
import { burnish, endSession, once } from '../api/client.ts';
import type { Batch } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';
import { Trouble } from '../ui/notice.tsx';
import { Progress } from '../ui/progress.tsx';
import { useAction } from '../ui/use-action.ts';
import { checkFolder } from './folder.ts';
import { FolderChoice } from './folder-choice.tsx';
import type { FolderFile } from './folder-files.ts';
import { LeftOutFiles } from './left-out-files.tsx';
import { sendFolder, sendings, type Sending } from './sending.ts';

/** A batch that receives its files: from this page, which shows the progress, or from elsewhere. */
export function Collecting({ batch, onChange }: { batch: Batch; onChange: () => void }) {
  const sending = sendings.value.get(batch.id);
  return sending === undefined ? (
    <Elsewhere batch={batch} onChange={onChange} />
  ) : (
    <Transfer sending={sending} onChange={onChange} />
  );
}

function Transfer({ sending, onChange }: { sending: Sending; onChange: () => void }) {
  const { files, sentFiles, fraction, secondsLeft, failed, at } = sending;
  const start = useAction(async () => {
    await sending.close();
    onChange();
  });
  const left = secondsLeft.value;
  return (
    <section class="card" aria-label="Transfer">
      <Progress label={`${sentFiles.value} of ${counted(files, 'file')} are sent`} value={fraction.value} />
      <p role="status">
        {sentFiles.value} of {counted(files, 'file')} sent
        {at.value === 'sending' && left !== undefined && `, about ${formatDuration(1000 * Math.max(1, left))} left`}
        {at.value === 'sending' && '. Keep this page open.'}
      </p>
      <LeftOutFiles files={failed.value} words="could not be sent" />
      <Trouble error={start.error} />
      {at.value === 'failed' && (
        <div class="actions">
          <Button kind="primary" icon="refresh" onClick={sending.retry}>
            Send them again
          </Button>
          {sentFiles.value > 0 && (
            <Button busy={start.busy} onClick={() => start.run()}>
              Start without them
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

/** A closed page leaves a batch that waits for the rest of its files. Programs fill batches too. */
function Elsewhere({ batch, onChange }: { batch: Batch; onChange: () => void }) {
  const go = useAction((found: Promise<readonly FolderFile[]>) => endSession(continueWith(batch, found)));
  const start = useAction(async () => {
    await endSession(burnish.batches.close(batch.id, { idempotencyKey: once() }));
    onChange();
  });
  return (
    <section class="card" aria-label="Transfer">
      <p>
        The batch has {counted(batch.counts.items, 'file')}, and accepts more. Choose its folder again to send the
        missing files, or start the batch.
      </p>
      <FolderChoice title="Continue with the folder" onFiles={(found) => go.run(found)} />
      <Trouble error={go.error ?? start.error} />
      {batch.counts.items > 0 && (
        <Button kind="primary" busy={start.busy} onClick={() => start.run()}>
          Start with {counted(batch.counts.items, 'file')}
        </Button>
      )}
    </section>
  );
}

/** Sends the files of a folder that are of the kind of the batch, which its first file has. */
async function continueWith({ id }: Batch, found: Promise<readonly FolderFile[]>): Promise<void> {
  const { files } = await checkFolder(await found);
  const { value: first } = await burnish.batches.items(id, { limit: 1 }).next();
  const isPdf = first === undefined ? files.image.length === 0 : /\.pdf$/i.test(first.key);
  sendFolder(id, isPdf ? files.pdf : files.image);
}
