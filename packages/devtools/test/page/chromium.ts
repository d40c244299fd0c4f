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

/** The headless shell needs half of the CPU time, because the browser draws a window of its own for each context. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Starts Debian's Chromium, or that of the environment variable CHROMIUM. */
export function launchChromium(): Promise<Browser> {
  const candidates = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : programs;
  const executablePath = candidates.find((program) => existsSync(program));
  if (executablePath === undefined)
    throw new Error(
      `There is no Chromium at ${candidates.join(' or ')}. Install it (Debian: apt-get install chromium-headless-shell ` +
        'fonts-dejavu-core), or set the environment variable CHROMIUM to its path.',
    );
  return chromium.launch({ executablePath, args: flags });
}
