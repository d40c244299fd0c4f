import type { Finding } from '../../../../src/page-api.js';
import { Badge } from '../../ui/badge.js';
import { Icon } from '../../ui/icons.js';
import { ExternalLink, isWebLink, Name, Text } from '../../ui/text.js';

const kinds = { error: 'error', warning: 'warning', note: 'plain' } as const;

function SeverityBadge({ severity }: { readonly severity: Finding['severity'] }) {
  return <Badge kind={kinds[severity]}>{severity}</Badge>;
}

/** Lists findings with their reasons, fixes and sources. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="surface-findings">
      {findings.map((finding, index) => (
        <li key={index} class="surface-finding">
          <div class="row">
            <SeverityBadge severity={finding.severity} />
            <Name value={finding.rule} class="small" />
            {finding.pointer !== '' && <Name value={finding.pointer} class="faint small" />}
          </div>
          <p>
            <Text value={finding.reason} />
          </p>
          <p class="soft">
            <Text value={finding.fix} />
          </p>
          <p class="small faint row">
            {finding.clients !== undefined && finding.clients.length > 0 && (
              <span>Affects {finding.clients.join(', ')}.</span>
            )}
            <span>
              Source:{' '}
              <ExternalLink href={finding.source}>
                {isWebLink(finding.source) ? new URL(finding.source).hostname : undefined}
              </ExternalLink>
              {finding.date !== '' && `, ${finding.date}`}
            </span>
          </p>
        </li>
      ))}
    </ul>
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
