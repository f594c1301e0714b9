import { useState } from 'preact/hooks';
import { describeProof, LOOK_LIMITS, LOOK_REFUSAL_WORDS, LOOK_REMEDY, SAVED_NAME } from '@burnish/contract';
import type { LookTrial, Upload } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Compare } from '../compare/compare.tsx';
import { Button } from '../ui/button.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { Notice, Trouble } from '../ui/notice.tsx';
import { SavedNameField } from '../ui/saved-name-field.tsx';
import { useAction } from '../ui/use-action.ts';
import { hasPicture, Thumbnail } from '../uploads/thumbnail.tsx';
import { buildLook, tryLook } from './looks.ts';
import './looks.css';

const { fewest, most, samples: MOST_SAMPLES } = LOOK_LIMITS;

/** Builds a look: finished pictures, then pictures with the look, then its name. Each change of the pictures needs another trial. */
export function BuildLook({ onClose }: { onClose: () => void }) {
  const uploads = useListing<Upload>('/v1/uploads?limit=60');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [trial, setTrial] = useState<LookTrial>();
  const images = (uploads.items ?? []).filter((each) => each.mimetype !== 'application/pdf' && hasPicture(each));
  const pictures = chosen.map((finished) => ({ finished }));
  const attempt = useAction(async () => {
    const others = images.filter(({ id }) => !chosen.includes(id));
    const shown = (others.length === 0 ? images : others).slice(0, MOST_SAMPLES);
    setTrial(
      await tryLook(
        pictures,
        shown.map(({ id }) => id),
      ),
    );
  });
  const choose = (id: string, isChosen: boolean): void => {
    setTrial(undefined);
    setChosen(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  };
  return (
    <section class="card" aria-labelledby="build-look">
      <div class="card-head">
        <h2 id="build-look">Build a look</h2>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <p>
        Choose {fewest} to {most} different photographs that you have finished, all with one taste.
      </p>
      <LoadedList list={uploads} empty={<p class="soft">Send your finished pictures first, without enhancements.</p>}>
        {() => (
          <ul class="look-pictures">
            {images.map((upload) => (
              <li key={upload.id}>
                <label>
                  <input
                    type="checkbox"
                    checked={chosen.includes(upload.id)}
                    disabled={chosen.length >= most && !chosen.includes(upload.id)}
                    onChange={({ currentTarget: { checked } }) => choose(upload.id, checked)}
                  />
                  <Thumbnail upload={upload} />
                  <span class="small">{upload.originalFilename}</span>
                </label>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
      <div class="actions">
        <Button
          kind={trial === undefined ? 'primary' : 'plain'}
          busy={attempt.busy}
          disabled={chosen.length < fewest}
          onClick={attempt.run}
        >
          Try the look
        </Button>
        <span class="hint" role="status">
          {chosen.length} of at least {fewest} pictures are chosen.
        </span>
      </div>
      <Trouble error={attempt.error} />
      {trial !== undefined && <Trial trial={trial} uploads={images} pictures={pictures} onClose={onClose} />}
    </section>
  );
}

function Trial({
  trial: { proof, refusal, samples },
  uploads,
  pictures,
  onClose,
}: {
  trial: LookTrial;
  uploads: readonly Upload[];
  pictures: { finished: string }[];
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const accept = useAction(async () => {
    await buildLook(name, pictures);
    onClose();
  });
  const shown = samples.flatMap(({ uploadId, picture }) => {
    const upload = uploads.find(({ id }) => id === uploadId);
    return upload === undefined ? [] : [{ upload, picture }];
  });
  return (
    <>
      <Notice kind={refusal === null ? 'good' : 'warning'}>
        {refusal === null ? 'The look has proved itself.' : `${LOOK_REFUSAL_WORDS[refusal]} ${LOOK_REMEDY}`}{' '}
        {describeProof(proof)}
      </Notice>
      <div class="look-samples">
        {shown.map(({ upload: { id, originalFilename, width, height }, picture }) => (
          <Compare
            key={id}
            before={{ small: `/v1/uploads/${id}/preview?width=960`, full: `/v1/uploads/${id}/preview?width=960` }}
            after={{ small: picture, full: picture }}
            width={width ?? 3}
            height={height ?? 2}
            name={originalFilename}
          />
        ))}
      </div>
      {refusal === null && (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            accept.run();
          }}
        >
          <SavedNameField label="Name of the look" value={name} onInput={setName} />
          <Button type="submit" kind="primary" busy={accept.busy} disabled={!SAVED_NAME.test(name)}>
            Accept the look
          </Button>
        </form>
      )}
      <Trouble error={accept.error} />
    </>
  );
}
