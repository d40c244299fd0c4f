/** Links and link targets in Markdown. */

export interface Link {
  readonly target: string;
  readonly isImage: boolean;
}

/** Hosts that the documentation may link to. Each was reviewed. */
const knownHosts: ReadonlySet<string> = new Set([
  'code.claude.com',
  'code.visualstudio.com',
  'cursor.com',
  'embracethered.com',
  'github.com',
  'invariantlabs.ai',
  'json-schema.org',
  'mcp-use.com',
  'modelcontextprotocol.io',
  'standardschema.dev',
  'toonformat.dev',
  'ts.sdk.modelcontextprotocol.io',
  'www.anthropic.com',
  'www.npmjs.com',
  'www.rfc-editor.org',
  'www.tmdevlab.com',
]);

/** Every link and image of a page, in order, except in code. */
export function linksOf(markdown: string): readonly Link[] {
  const text = withoutCode(markdown);
  const inline = [...text.matchAll(/(!?)\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map(
    ([, mark, target = '']) => ({ target, isImage: mark === '!' }),
  );
  const html = [...text.matchAll(/<(?:img|source)\b[^>]*?\b(?:src|srcset)="([^"]*)"/g)].map(
    ([, target = '']) => ({ target, isImage: true }),
  );
  const references = [...text.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map(([, target = '']) => ({
    target,
    isImage: false,
  }));
  return [...inline, ...html, ...references];
}

/** The anchors of a page: its headings in GitHub's form. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const used = new Map<string, number>();
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** Checks an external address without requesting it. */
export function faultOf(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is no address';
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:') return 'is not https';
  return knownHosts.has(hostname)
    ? undefined
    : `is on ${hostname}, which scripts/docs-links.ts does not know`;
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1\s*$/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '');
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/`[^`\n]+`/g, '`');
}
