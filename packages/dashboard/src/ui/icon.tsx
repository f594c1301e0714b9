/** Line icons on a grid of 24, one path each. */
const PATHS = {
  sparkle: 'M12 3c.8 5.2 3.8 8.2 9 9-5.2.8-8.2 3.8-9 9-.8-5.2-3.8-8.2-9-9 5.2-.8 8.2-3.8 9-9z',
  images:
    'M7 3h12a2 2 0 0 1 2 2v12M3 9a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 9 4-4 4 4 2-2 4 4',
  layers: 'm12 3 9 5-9 5-9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  key: 'M15 9.5h.01M21 9a6 6 0 0 1-8.2 5.6L11 16.5H9v2H7v2H3v-3.5l6.4-6.4A6 6 0 1 1 21 9z',
  webhook:
    'M12 8.5 8.5 15M12 8.5a3.5 3.5 0 1 1 3.2-4.9M8.5 15a3.5 3.5 0 1 1-5.3-1.6M8.5 17H15a3.5 3.5 0 1 0 .9-3.4M12 6l3.2 6',
  coins:
    'M9 12c3.3 0 6-1.3 6-3s-2.7-3-6-3-6 1.3-6 3 2.7 3 6 3zm-6-3v6c0 1.7 2.7 3 6 3 1 0 2-.1 2.8-.4M15 9v2m0 8.5c3.3 0 6-1.3 6-3s-2.7-3-6-3-6 1.3-6 3 2.7 3 6 3zm6-3v2c0 1.7-2.7 3-6 3-2 0-3.8-.5-5-1.3',
  sliders: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 4.8v4.4M9 14.8v4.4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1zM16 5.5V4a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h.5',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  alert: 'M12 8v5m0 3h.01M10.3 3.9 2.2 18a2 2 0 0 0 1.7 3h16.2a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0z',
  info: 'M12 11v5m0-8h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  trash: 'M4 7h16M10 11v6m4-6v6M6 7l1 13h10l1-13M9 7V4h6v3',
  plus: 'M12 5v14M5 12h14',
  download: 'M12 4v11m-4.5-4L12 15.5 16.5 11M4 20h16',
  upload: 'M12 16V5M7.5 9 12 4.5 16.5 9M4 20h16',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7l1.5-1.5',
  search: 'm20 20-4.2-4.2M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z',
  external: 'M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  refresh: 'M20 11a8 8 0 0 0-14.5-3.7L4 9m0-5v5h5M4 13a8 8 0 0 0 14.5 3.7L20 15m0 5v-5h-5',
  send: 'M20.5 3.5 3.5 10l7 3.5 3.5 7z',
  clock: 'M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  file: 'M14 3v5h5M6 3h8l5 5v12a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z',
  grid: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  list: 'M4 6h.01M8 6h12M4 12h.01M8 12h12M4 18h.01M8 18h12',
  compare: 'M12 3v18M5 5h4M5 5v14h4M15 5h4v14h-4',
  chevron: 'm9 6 6 6-6 6',
  signOut: 'M15 17v2a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v2M9 12h12m-3.5-3.5L21 12l-3.5 3.5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside words of the same meaning: hidden from screen readers. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
