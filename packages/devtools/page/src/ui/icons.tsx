/**
 * The icons of the page: lines of 1.5 pixels in a box of 16. They are hidden from screen readers, because text or a
 * label names them.
 */
const paths = {
  surface: 'M2.5 3.5h4M2.5 8h4m-4 4.5h4M9 3.5h4.5M9 8h4.5M9 12.5h4.5',
  cost: 'M2.5 2.5h6v11h-6zM8.5 2.5h5v5h-5zM8.5 7.5h5v6h-5z',
  try: 'M5 3.2v9.6l7.5-4.8z',
  views:
    'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  live: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2',
  code: 'M5.5 4 1.8 8l3.7 4M10.5 4l3.7 4-3.7 4',
  diff: 'M5 2.5v7M1.5 6h7M8.5 12.5h6M11 3.5h3.5',
  items: 'M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3M6 8.5h4M6 11h4',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M3.5 3.5l9 9m0-9l-9 9',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  up: 'M3.5 10 8 5.5l4.5 4.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M2.5 8.5 6 12l7.5-8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  warning: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.8h.01',
  error: 'M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5L1.8 10.5v-5zM8 5v3.6M8 11h.01',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.3v3.8M8 5h.01',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  system: 'M2 3h12v8.2H2zM5.5 13.8h5M8 11.2v2.6',
  keyboard: 'M1.5 4h13v8h-13zM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M5 9.5h6',
  link: 'M6.5 9.5l3-3M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.5 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.5 7',
  reload: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3.2h-3.2',
  filter: 'M2 3.5h12L9.5 9v4l-3-1.5V9z',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.8 13.8c.6-2.8 2.6-4 5.2-4s4.6 1.2 5.2 4',
  lock: 'M3.5 7h9v6.500h-9zM5.2 7V5a2.8 2.8 0 0 1 5.6 0v2',
  stop: 'M4 4h8v8H4z',
  pause: 'M5 3.500v9M11 3.500v9',
  history: 'M2.5 8A5.5 5.5 0 1 0 4.3 3.900M2.5 2.500v2.800h2.800M8 5v3.200l2.2 1.3',
  trash: 'M2.5 4.500h11M6 4.500v-2h4v2M4 4.500l.6 9h6.800l.6-9',
  calendar: 'M2.5 3.500h11v10h-11zM2.5 6.500h11M5.5 2v3M10.5 2v3',
  external: 'M9 2.500h4.500V7M13.5 2.5 7.5 8.500M11.5 9.500v4h-9v-9h4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of Toolfold: two folded sheets. */
export function Logo({ size = 20 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d="M2 4.5 10 1.500v8L2 12.500z" fill="currentColor" opacity="0.55" />
      <path d="M10 1.5 18 4.500v8l-8-3z" fill="currentColor" />
      <path d="M2 12.500l8-3 8 3-8 6z" fill="currentColor" opacity="0.8" />
    </svg>
  );
}
