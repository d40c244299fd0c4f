/** Generates the tables of `docs/reference/lint.md` from the rules of the linter and the rules of the clients. */
import { describeRules } from '../packages/cli/src/lint/describe-rules.js';
import type { DescribedRule } from '../packages/cli/src/lint/describe-rules.js';

export const LINT_PAGE = 'docs/reference/lint.md';

/** Fills the tables below `<!-- rules: linter -->` and `<!-- rules: clients -->`. */
export function fillLintRules(markdown: string): string {
  const rules = describeRules();
  return [
    ['linter', tableOf(rules.filter(({ profiles }) => !profiles))],
    ['clients', tableOf(rules.filter(({ profiles }) => profiles))],
  ].reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- rules: ${name} -->\\n)(?:\\|.*\\n)*`),
        (_, marker: string) => `${marker}${table}`,
      ),
    markdown,
  );
}

function tableOf(rules: readonly DescribedRule[]): string {
  const rows = rules.map(
    ({ id, severity, summary, fix, source, date, isFixable, profiles }) =>
      `| \`${id}\` | ${severity} | ${cell(summary)}${profiles ? ` (${profiles.join(', ')})` : ''} | ${cell(fix)}${isFixable && !profiles ? ' `--fix` does it.' : ''} | ${link(source)}, ${date} |\n`,
  );
  return `| Rule | Severity | Reason | Fix | Source |\n|---|---|---|---|---|\n${rows.join('')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

/** Links show the host and the last part of their path. */
function link(source: string): string {
  if (!URL.canParse(source)) return cell(source);
  const { hostname, pathname } = new URL(source);
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  const label =
    hostname === 'github.com'
      ? pathname
          .split('/')
          .slice(2)
          .join('/')
          .replace(/\/(?:issues|pull)\//, '#')
      : `${hostname.replace(/^www\./, '')}, ${last}`;
  return `[${label}](${source})`;
}
