import { connection } from '../api/events.js';
import type { ConnectionState } from '../api/events.js';
import { server } from '../api/stores.js';
import { linkTo } from '../routes.js';
import { chooseTheme, themeChoice, themeChoices } from '../theme.js';
import type { ThemeChoice } from '../theme.js';
import { IconButton } from '../ui/button.js';
import { countOf } from '../ui/figures.js';
import { Icon, Logo } from '../ui/icons.js';
import type { IconName } from '../ui/icons.js';
import { Name, visibleText } from '../ui/text.js';
import { openOverlay } from './overlay.js';

const states: Readonly<Record<ConnectionState | 'problem', string>> = {
  connecting: 'Connecting',
  live: 'Connected',
  lost: 'Disconnected',
  refused: 'Refused',
  problem: 'Server problem',
};

export function Header() {
  const info = server.value;
  // A live connection only reaches the page's own server. The MCP server behind it may be down, or its file may not load.
  const hasProblem = connection.value === 'live' && info?.problem !== undefined;
  const state = hasProblem ? 'problem' : connection.value;
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return (
    <header class="frame-header">
      <a class="brand" href={linkTo('surface')}>
        <Logo />
        <span class="brand-name">
          <bdi>{visibleText(info?.name ?? 'Toolfold')}</bdi>
        </span>
        {info && (
          <span class="brand-version">
            <Name value={info.version} />
          </span>
        )}
      </a>
      {info && (
        <>
          {info.target !== info.name && (
            <span class="header-target" title={info.target}>
              <Name value={info.target} />
            </span>
          )}
          <span class="header-counts">
            {countOf(info.counts.tools, 'tool')}, {countOf(info.counts.actions, 'action')}
          </span>
        </>
      )}
      <span class="header-space" />
      <button
        type="button"
        class="search-button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => (openOverlay.value = 'palette')}
      >
        <Icon name="search" size={14} />
        <span>Find tools and sections</span>
        <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <span class="connection" role="status" data-state={state} title={states[state]}>
        <span>{states[state]}</span>
      </span>
      <ThemeSwitch />
      <IconButton
        class="keyboard-button"
        icon="keyboard"
        label="Keyboard shortcuts"
        onClick={() => (openOverlay.value = 'keyboard')}
      />
    </header>
  );
}

const themes: Readonly<Record<ThemeChoice, { readonly icon: IconName; readonly label: string }>> = {
  system: { icon: 'system', label: 'as the system' },
  light: { icon: 'sun', label: 'light' },
  dark: { icon: 'moon', label: 'dark' },
};

/** Cycles through the three themes. */
function ThemeSwitch() {
  const choice = themeChoice.value;
  const next = themeChoices[(themeChoices.indexOf(choice) + 1) % themeChoices.length] ?? 'system';
  return (
    <IconButton
      class="theme-button"
      icon={themes[choice].icon}
      label={`Theme: ${themes[choice].label}. Change to ${themes[next].label}`}
      onClick={() => chooseTheme(next)}
    />
  );
}
