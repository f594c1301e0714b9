const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const dayUtc = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** ISO 8601 → `Nov 20, 2026`, where the reader is */
export const formatDay = (iso: string): string => day.format(new Date(iso));

/** The same where the day is one of UTC, such as the bounds of a period of credits */
export const formatUtcDay = (iso: string): string => dayUtc.format(new Date(iso));

/** ISO 8601 → `Nov 20, 2026, 9:41:07 AM`, where the reader is */
export const formatMoment = (iso: string): string => moment.format(new Date(iso));

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** ISO 8601 → `2 hours ago`, `in 3 days`, `now` */
export function formatAgo(iso: string, now = Date.now()): string {
  const distance = Date.parse(iso) - now;
  for (const [unit, ms] of UNITS) {
    if (Math.abs(distance) >= ms) return relative.format(Math.trunc(distance / ms), unit);
  }
  return 'just now';
}

/** Bytes → `812 kB`, `2.4 MB`: decimal, as files are counted */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] =
    bytes < 999_500 ? [bytes / 1000, 'kB'] : bytes < 999_500_000 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value < 10 && unit !== 'kB' ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Milliseconds → `340 ms`, `2.4 s`, `3 min 5 s` */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** 0.35 → `35 %` */
export const percent = (value: number): string => `${Math.round(value * 100)} %`;

/** An adjustment: −0.2 → `−20`, 0.2 → `+20` */
export const signed = (value: number): string => {
  const hundredths = Math.round(value * 100);
  return hundredths > 0 ? `+${hundredths}` : String(hundredths).replace('-', '−');
};
