import { computed, signal } from '@preact/signals';

export const themeChoices = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

const KEY = 'toolfold-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => (isSystemDark.value = matches));

function readChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY);
  return themeChoices.find((choice) => choice === stored) ?? 'system';
}

/** The theme that the user chose. */
export const themeChoice = signal<ThemeChoice>(readChoice());

/** The theme in effect. Charts redraw when it changes, because a canvas does not follow CSS. */
export const theme = computed<'light' | 'dark'>(() => {
  if (themeChoice.value !== 'system') return themeChoice.value;
  return isSystemDark.value ? 'dark' : 'light';
});

// The attribute is set before the first rendering and before any other effect reads colours.
theme.subscribe((shown) => (document.documentElement.dataset['theme'] = shown));

export function chooseTheme(choice: ThemeChoice): void {
  localStorage.setItem(KEY, choice);
  themeChoice.value = choice;
}

/** Returns the value of a custom property, such as `--chart-1`, in the current theme. */
export function readColour(name: `--${string}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
