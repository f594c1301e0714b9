import { signal } from '@preact/signals';
import { counted, creditRange } from '../../domain/counted.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { creditsLeft } from '../uploads/credits-left.ts';
import { credits } from '../uploads/words.ts';
import { ImageForm, TransparencyNotice } from './image-form.tsx';
import { undecidedImages, findUpload } from './jobs.ts';
import { changesNothing, imagePrice } from './price.ts';

/** The settings for the images of the page; they stay for the next ones. */
const settings = signal<EnhancementParameters>({});

export function Batch() {
  const images = undecidedImages.value;
  const { min, max } = imagePrice(settings.value);
  const price = max * images.length;
  const left = creditsLeft.value;
  const idle = changesNothing(settings.value);
  return (
    <form
      class="card batch settings-card"
      aria-label="Settings for images"
      onSubmit={(event) => {
        event.preventDefault();
        for (const job of images) job.ask(settings.value);
      }}
    >
      <h2>Settings</h2>
      <PresetChoice kind="image" value={settings.value} onChange={(value) => (settings.value = value)} />
      <ImageForm value={settings.value} onChange={(value) => (settings.value = value)} />
      <SavePreset value={settings.value} />
      <TransparencyNotice images={images.flatMap((job) => findUpload(job) ?? [])} value={settings.value} />
      <div class="price" role="status">
        <p>
          <strong>{creditRange(min * images.length, price)}</strong>
          <span class="soft small">
            {' '}
            {counted(images.length, 'image')} at {creditRange(min, max)} each
          </span>
        </p>
        {left !== undefined && <p class="soft small">You have {credits(left)} left in this period.</p>}
        {min < max && <p class="soft small">An image that needs no change costs nothing.</p>}
        {idle && <p class="small">Choose the settings first.</p>}
      </div>
      {left !== undefined && left < price && (
        <Notice kind="warning">
          This exceeds your remaining credits. Enhancements without credits wait for up to a day.{' '}
          <a href="/credits">See credits</a>
        </Notice>
      )}
      <Button kind="primary" type="submit" icon="sparkle" disabled={idle}>
        Enhance {counted(images.length, 'image')}
      </Button>
    </form>
  );
}
