import { formatAgo, formatMoment } from './format.ts';

/** A moment as people say it, with the exact one behind it. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {exact ? formatMoment(at) : formatAgo(at)}
    </time>
  );
}
