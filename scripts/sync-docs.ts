// Writes the generated pages, and fills the marked blocks of every Markdown file from the examples.
// A test checks that the files are up to date.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderApiPages } from './docs-api-pages.js';
import { fillAcceptance } from './docs-acceptance.js';
import { fillErrors } from './docs-errors.js';
import { fillLintRules, LINT_PAGE } from './docs-lint.js';
import { fillPackages } from './docs-packages.js';
import { PROFILES_PAGE, renderProfiles } from './docs-profiles.js';
import { fillBlocks, fillWalk, markdownFiles } from './docs.js';
import { followPage } from './newcomer/follow-page.js';

const API = 'docs/reference/api';
const at = (file: string): URL => new URL(`../${file}`, import.meta.url);

function write(file: string, text: string): void {
  if (existsSync(at(file)) && readFileSync(at(file), 'utf8') === text) return;
  writeFileSync(at(file), text);
  console.log(`updated ${file}`);
}

const pages = renderApiPages();
mkdirSync(at(API), { recursive: true });
for (const name of readdirSync(at(API))) {
  if (!pages.has(`${API}/${name}`)) rmSync(at(`${API}/${name}`));
}
for (const [file, text] of pages) write(file, text);
const ERRORS = 'docs/reference/errors.md';
write(ERRORS, fillErrors(readFileSync(at(ERRORS), 'utf8')));
write(PROFILES_PAGE, renderProfiles());
write(LINT_PAGE, fillLintRules(readFileSync(at(LINT_PAGE), 'utf8')));
for (const file of markdownFiles()) {
  if (pages.has(file) || file === PROFILES_PAGE) continue;
  const text = await fillAcceptance(fillPackages(fillWalk(fillBlocks(readFileSync(at(file), 'utf8')))));
  write(file, text.includes('<!-- walk -->') ? await followPage(text) : text);
}
