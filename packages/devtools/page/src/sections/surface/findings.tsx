import type { Finding } from '../../../../src/page-api.js';
import { Badge } from '../../ui/badge.js';
import { countOf } from '../../ui/figures.js';
import { Icon } from '../../ui/icons.js';
import { ExternalLink, isWebLink, Name, Text } from '../../ui/text.js';

const kinds = { error: 'error', warning: 'warning', note: 'plain' } as const;

function SeverityBadge({ severity }: { readonly severity: Finding['severity'] }) {
  return <Badge kind={kinds[severity]}>{severity}</Badge>;
}

/** Lists findings by rule, each rule with its fix and source. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="surface-findings">
      {groupFindings(findings).map((group, index) => (
        <li key={index} class="surface-finding">
          <FindingGroup findings={group} />
        </li>
      ))}
    </ul>
  );
}

/** Groups findings of the same rule that have the same fix. Keeps the order of the first of each group. */
function groupFindings(
  findings: readonly Finding[],
): readonly (readonly [Finding, ...(readonly Finding[])])[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.rule, finding.severity, finding.fix]);
    const known = groups.get(key);
    if (known) known.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()];
}

/** Maximum number of shown places of a rule. The others are beside their fields. */
const MAX_PLACES = 20;

function FindingGroup({ findings }: { readonly findings: readonly [Finding, ...Finding[]] }) {
  const [{ severity, rule, fix, clients = [], source, date }] = findings;
  return (
    <>
      <div class="row">
        <SeverityBadge severity={severity} />
        <Name value={rule} class="small" />
        {findings.length > 1 && <span class="faint small">{countOf(findings.length, 'place')}</span>}
      </div>
      <ul class="surface-places">
        {findings.slice(0, MAX_PLACES).map(({ action, pointer, reason }, index) => (
          <li key={index}>
            <Text value={reason} /> <Name value={`${action ?? ''}${pointer}`} class="faint small" />
          </li>
        ))}
        {findings.length > MAX_PLACES && (
          <li class="soft">{countOf(findings.length - MAX_PLACES, 'more place')}</li>
        )}
      </ul>
      <p class="soft">
        Fix: <Text value={fix} />
      </p>
      <p class="small faint row">
        {clients.length > 0 && <span>Affects {clients.join(', ')}.</span>}
        <span>
          Source:{' '}
          <ExternalLink href={source}>
            {isWebLink(source) ? new URL(source).hostname : undefined}
          </ExternalLink>
          {date !== '' && `, ${date}`}
        </span>
      </p>
    </>
  );
}

/** Shows findings beside the field that they are about. */
export function FindingNotes({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      {findings.map((finding, index) => (
        <p key={index} class={`surface-note surface-note-${finding.severity}`}>
          <Icon name={finding.severity === 'note' ? 'info' : finding.severity} size={14} />
          <span>
            <span class="visually-hidden">{finding.severity}: </span>
            <Text value={finding.reason} />
          </span>
        </p>
      ))}
    </>
  );
}
