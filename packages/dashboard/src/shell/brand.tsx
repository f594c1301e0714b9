export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" />
        <path d="M16 5.5c.9 5.6 4.9 9.6 10.5 10.5C20.9 16.9 16.9 20.9 16 26.5 15.1 20.9 11.1 16.9 5.5 16 11.1 15.1 15.1 11.1 16 5.5z" />
      </svg>
      Burnish
    </span>
  );
}
