import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { followPage } from '../scripts/newcomer/follow-page.js';

const page = readFileSync(new URL('../docs/start.md', import.meta.url), 'utf8');

it('a newcomer who follows docs/start.md sees what it shows; otherwise run `npm run docs`', async () => {
  expect(existsSync(new URL('../packages/cli/dist/main.js', import.meta.url))).toBe(true);
  expect(page.match(/^\$ /gm)?.length).toBeGreaterThan(10);
  expect(await followPage(page)).toBe(page);
  // About twenty programs are started one after the other.
}, 240_000);
