import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const flags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--font-render-hinting=none',
  '--no-first-run',
  '--no-sandbox',
];

/** Starts Debian's Chromium, or that of the environment variable CHROMIUM. */
export function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it (Debian: apt-get install chromium fonts-dejavu-core), ` +
        'or set the environment variable CHROMIUM to its path.',
    );
  return chromium.launch({ executablePath, args: flags });
}
