import type { Enhancement } from '../api/types.ts';
import { FailureNotice } from './failure.tsx';

/** What has become of the write to the destination of a result. */
export function DestinationOutcome({ status, destination }: Pick<Enhancement, 'status' | 'destination'>) {
  if (destination === null || status !== 'FINISHED') return null;
  const { url, bucket, key, errorCode, errorDetail } = destination;
  if (destination.status === 'FAILED') return <FailureNotice code={errorCode} detail={errorDetail} />;
  const place = url ?? `${bucket}/${key}`;
  const words = destination.status === 'DELIVERED' ? 'Written to' : 'Writing to';
  return (
    <p class="destination small soft">
      {words} {place}
    </p>
  );
}
