/** A progress bar. @param value 0 to 1; absent: running with unknown progress */
export function Progress({ label, value }: { label: string; value?: number | undefined }) {
  return <progress aria-label={label} max={1} {...(value === undefined ? {} : { value })} />;
}

export function Loading({ label = 'Loading …' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {label}
    </p>
  );
}
