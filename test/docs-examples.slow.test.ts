import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fillBlocks, markdownFiles, outputOf } from '../scripts/docs.js';

const root = new URL('../', import.meta.url);

describe('the examples', () => {
  it.each(readdirSync(new URL('examples/', root)))('%s runs and checks itself', (name) => {
    expect(outputOf(`examples/${name}/main.ts`)).not.toBe('');
  });
});

it.each(markdownFiles())('%s shows the current code and output; otherwise run `npm run docs`', (file) => {
  const markdown = readFileSync(new URL(file, root), 'utf8');
  expect(fillBlocks(markdown)).toBe(markdown);
});
