import { addressOf } from '../finding.js';
import type { Finding, Severity } from '../finding.js';
import type { Locate } from './locate.js';

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Workflow commands that GitHub shows as annotations of files. */
export function writeGithub(findings: readonly Finding[], locate: Locate): string {
  return findings
    .map((finding) => {
      const { rule, severity, reason, fix, others = [] } = finding;
      const place = finding.tool === '' ? (others[0] ?? finding) : finding;
      const position = locate(place);
      const properties = [
        ...(position ? [`file=${escapeProperty(position.file.replace(/^\.\//, ''))}`] : []),
        ...(position?.line === undefined ? [] : [`line=${position.line}`]),
        `title=${escapeProperty(`${rule}${finding.tool === '' ? '' : `: ${addressOf(finding)}`}`)}`,
      ];
      return `::${commands[severity]} ${properties.join(',')}::${escapeData(`${reason} Fix: ${fix}`)}`;
    })
    .join('\n');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
