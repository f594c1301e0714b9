/** How far something is. @param value 0 to 1; absent: at work, nobody knows how far */
export function Progress({ label, value }: { label: string; value?: number | undefined }) {
  return <progress aria-label={label} max={1} {...(value === undefined ? {} : { value })} />;
}

/** Work under way, in words and movement. */
export function Loading({ label = 'Loading …' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> {label}
    </p>
  );
}
