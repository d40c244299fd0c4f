import { packageVersion } from 'toolfold/internal';
import { addressOf } from '@toolfold/analysis/internal';
import type { Finding } from '@toolfold/analysis';
import type { Place } from '@toolfold/analysis/internal';
import type { FilePosition, Locate } from './locate.js';
import { describeRules } from '../describe-rules.js';
import type { LintReport } from './write-text.js';

/** Formats findings as SARIF 2.1.0 for GitHub code scanning and other viewers. A test checks the type against the official one. */
export function writeSarif(report: LintReport, locate: Locate) {
  const rules = describeRules();
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0' as const,
    runs: [
      {
        tool: {
          driver: {
            name: 'toolfold lint',
            version: packageVersion,
            rules: rules.map(({ id, severity, summary, fix, source }) => ({
              id,
              shortDescription: { text: summary },
              help: { text: fix },
              defaultConfiguration: { level: severity },
              ...(URL.canParse(source) ? { helpUri: source } : {}),
              properties: { source },
            })),
          },
        },
        columnKind: 'utf16CodeUnits' as const,
        results: report.findings.map((finding) => toResult(finding, indexes.get(finding.rule), locate)),
      },
    ],
  };
}

/** GitHub rejects results with more locations. */
const MAX_LOCATIONS = 10;

function toResult(finding: Finding, ruleIndex: number | undefined, locate: Locate) {
  const { rule, severity, reason, fix, others = [], tool, action, pointer } = finding;
  const places = tool === '' && others.length > 0 ? others : [finding, ...others];
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: severity,
    message: { text: `${reason} Fix: ${fix}` },
    locations: places.slice(0, MAX_LOCATIONS).map((place) => toLocation(place, locate(place))),
    partialFingerprints: { 'toolfold/v1': [rule, tool, action ?? '', pointer].join(' ') },
    ...(finding.clients ? { properties: { clients: finding.clients } } : {}),
  };
}

function toLocation(place: Place, position: FilePosition | undefined) {
  const name = place.tool === '' ? 'tools/list' : addressOf(place);
  return {
    ...(position
      ? {
          physicalLocation: {
            artifactLocation: { uri: toUri(position.file) },
            region: { startLine: position.line ?? 1 },
          },
        }
      : {}),
    logicalLocations: [{ name, fullyQualifiedName: `${name}${place.pointer}`, kind: 'function' }],
  };
}

function toUri(file: string): string {
  return file.replaceAll('\\', '/').replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/');
}
