import { counted, creditRange } from '@burnish/contract';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { creditsLeft } from '../uploads/credits-left.ts';
import { capital, credits, summarizeParameters } from '../uploads/words.ts';
import { TransparencyNotice } from './image-form.tsx';
import { IMAGE_SETTINGS, imageSettings } from './image-settings.tsx';
import { findUpload, undecidedImages } from './jobs.ts';
import { changesNothing, imagePrice } from './price.ts';
import '../ui/bottom-bar.css';
import './order-bar.css';

/** What an order of the images costs, and its button. It stays in view while files and settings scroll. */
export function OrderBar() {
  const images = undecidedImages.value;
  const { parameters: settings } = imageSettings.value;
  const { min, max } = imagePrice(settings);
  const price = max * images.length;
  const left = creditsLeft.value;
  const isIdle = changesNothing(settings);
  return (
    <section class="bottom-bar" aria-label="Order">
      <TransparencyNotice images={images.flatMap((job) => findUpload(job) ?? [])} value={settings} />
      {left !== undefined && left < price && (
        <Notice kind="warning">
          This exceeds your remaining credits. Enhancements without credits wait for up to a day.{' '}
          <a href="/credits">See credits</a>
        </Notice>
      )}
      <div class="order-price" role="status">
        <p>
          <strong>{capital(creditRange(min * images.length, price))}</strong>{' '}
          <span class="soft small">
            for {counted(images.length, 'image')}
            {min < max && '. An image without a change is free'}
          </span>
        </p>
        <p class="small">{isIdle ? 'Choose the settings first.' : summarizeParameters(settings, 'image')}</p>
        {left !== undefined && <p class="soft small">You have {credits(left)} left in this period.</p>}
      </div>
      <div class="actions">
        <a class="to-settings" href={`#${IMAGE_SETTINGS}`}>
          Settings
        </a>
        <Button kind="primary" type="submit" form={IMAGE_SETTINGS} icon="sparkle" disabled={isIdle}>
          Enhance {counted(images.length, 'image')}
        </Button>
      </div>
    </section>
  );
}
