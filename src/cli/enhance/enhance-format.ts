/** Bytes in the decimal units of the contract, such as `48.6 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, unit] = bytes < 999_500 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

/** @param ms milliseconds */
export function formatDuration(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Pixels; absent for PDFs. */
export function formatPixels({ width, height }: { width: number | null; height: number | null }): string {
  return width && height ? `${width}×${height}` : '–';
}
