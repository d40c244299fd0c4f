import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { messageOf, mistakes } from '../examples/troubleshooting/mistakes.js';

const page = readFileSync(new URL('../docs/guides/troubleshooting.md', import.meta.url), 'utf8');
const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, heading = '']) => heading);

describe('docs/guides/troubleshooting.md', () => {
  it('has one heading for each mistake', () => {
    expect(headings).toHaveLength(mistakes.length);
    expect(page.match(/^### /gm)).toHaveLength(mistakes.length);
  });

  it.each(mistakes.map((mistake, at) => [headings[at], mistake] as const))(
    'has the heading %s, which is how the message begins',
    async (heading, mistake) => {
      const message = await messageOf(mistake);
      expect(message.slice(0, heading?.length)).toBe(heading);
    },
  );
});
