// Fills the marked blocks of every Markdown file from the examples. A test checks that nothing is left to do.
import { readFileSync, writeFileSync } from 'node:fs';
import { fillBlocks, markdownFiles } from './docs.js';

for (const file of markdownFiles()) {
  const path = new URL(`../${file}`, import.meta.url);
  const before = readFileSync(path, 'utf8');
  const after = fillBlocks(before);
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`updated ${file}`);
}
