import { githubCommand } from '../../terminal/github-command.js';
import { addressOf } from '@toolfold/analysis/internal';
import type { Finding, Severity } from '@toolfold/analysis';
import type { Locate } from './locate.js';

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

export function writeGithub(findings: readonly Finding[], locate: Locate): string {
  return findings
    .map((finding) => {
      const { rule, severity, reason, fix, others = [] } = finding;
      const place = finding.tool === '' ? (others[0] ?? finding) : finding;
      const position = locate(place);
      const properties = [
        ['file', position?.file.replace(/^\.\//, '')],
        ['line', position?.line],
        ['title', `${rule}${finding.tool === '' ? '' : `: ${addressOf(finding)}`}`],
      ] as const;
      return githubCommand(commands[severity], properties, `${reason} Fix: ${fix}`);
    })
    .join('\n');
}
