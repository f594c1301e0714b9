import { formatAgo, formatMoment } from './format.ts';

export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  return (
    <time dateTime={at} title={formatMoment(at)} class={exact ? 'one-line' : undefined}>
      {exact ? formatMoment(at) : formatAgo(at)}
    </time>
  );
}
