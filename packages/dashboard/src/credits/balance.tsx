import { formatNumber } from '@burnish/contract';
import type { Credits } from '../api/types.ts';

/** Used, reserved and remaining credits as a bar and in numbers. */
export function Balance({
  credits: { usedCreditsThisPeriod: used, reservedCreditsThisPeriod: reserved, remainingCreditsThisPeriod: left },
}: {
  credits: Credits;
}) {
  const total = used + reserved + left;
  const share = (credits: number): string => `${total === 0 ? 0 : (credits / total) * 100}%`;
  return (
    <>
      <p class="balance-left">
        <strong>{formatNumber(left)}</strong> <span>of {formatNumber(total)} credits left</span>
      </p>
      <div class="balance-bar" aria-hidden="true">
        <span class="used" style={{ width: share(used) }} />
        <span class="reserved" style={{ width: share(reserved) }} />
      </div>
      <dl class="balance">
        <Part kind="used" title="Used" credits={used} hint="Charged for finished enhancements" />
        <Part
          kind="reserved"
          title="Reserved"
          credits={reserved}
          hint="Reserved for running work; released if it fails"
        />
        <Part kind="left" title="Left" credits={left} hint="Available until the period ends" />
      </dl>
    </>
  );
}

function Part({ kind, title, credits, hint }: { kind: string; title: string; credits: number; hint: string }) {
  return (
    <div>
      <dt>
        <span class={`swatch ${kind}`} aria-hidden="true" /> {title}
      </dt>
      <dd>
        <strong>{formatNumber(credits)}</strong>
        <span class="hint">{hint}</span>
      </dd>
    </div>
  );
}
