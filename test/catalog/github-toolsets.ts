import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { ToolRegistry } from 'toolfold';
import type { View } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { Exposure } from 'toolfold/web';
import { foldGithub, githubTools } from './github.js';

/** Toolset keys with name patterns. A tool belongs to the first match. */
const subjects: readonly (readonly [key: string, name: RegExp])[] = [
  ['pull_requests', /pull_request|review/],
  ['issues', /issue/],
  ['notifications', /notification/],
  ['discussions', /discussion/],
  ['gists', /gist/],
  ['security', /alert|advisor|finding/],
  ['actions', /^actions|job_logs/],
  ['projects', /^projects/],
  ['repositories', /./],
];

/** The 117 tools in toolsets by subject. */
export function githubToolsets(mode: 'STATIC' | 'DYNAMIC'): ToolsetConfig {
  const rest = new Set(githubTools);
  const catalog = Object.fromEntries(
    subjects.map(([key, pattern]) => {
      const own = [...rest].filter(({ name }) => pattern.test(name));
      for (const tool of own) rest.delete(tool);
      const tools = own.map(({ name, description = '', inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        readOnly: annotations?.readOnlyHint,
        destructive: annotations?.destructiveHint,
        idempotent: annotations?.idempotentHint,
        openWorld: annotations?.openWorldHint,
        handler: () => 'done',
      }));
      const name = key.replace('_', ' ');
      return [key, { name, description: `Everything about ${name}`, tools }];
    }),
  );
  return {
    catalog: catalog as ToolsetConfig['catalog'],
    moduleLoaders: {},
    startup: mode === 'DYNAMIC' ? { mode } : { mode, toolsets: 'ALL' },
    context: {},
    exposurePolicy: {},
  };
}

const tokenizer = new Tiktoken(o200k);

export function countTokens(text: string): number {
  return tokenizer.encode(text).length;
}

type Row = readonly [form: string, tools: number, bytes: number, tokens: number];

/** The size of a view's list for a client. */
function rowOf(form: string, view: View, protocolVersion: '2025-11-25' | '2026-07-28' = '2026-07-28'): Row {
  const text = `{"tools":${view.listPages({ protocolVersion })[0]}}`;
  return [form, view.tools.size, Buffer.byteLength(text), countTokens(text)];
}

const registry = new ToolRegistry({ name: 'github' });
const fixed = new Exposure(registry, { toolsets: githubToolsets('STATIC') });
const searched = new Exposure(registry, { toolsets: githubToolsets('STATIC'), view: { form: 'search' } });
const coded = new Exposure(registry, { toolsets: githubToolsets('STATIC'), view: { form: 'code' } });
const dynamic = new Exposure(registry, { toolsets: githubToolsets('DYNAMIC') });
const modern = { protocolVersion: '2026-07-28' } as const;
const session = (current?: readonly string[]) => ({
  protocolVersion: '2025-11-25',
  enabledToolsets: { current, change: async () => {} },
});

/** The table of docs/reference/forms.md. */
export async function measureForms(): Promise<readonly Row[]> {
  return [
    rowOf('flat', foldGithub().view({ form: 'flat' })),
    rowOf('grouped', foldGithub().view()),
    rowOf('grouped, TOON', foldGithub({ toon: true }).view()),
    rowOf('split', foldGithub().view({ split: 'risk' })),
    rowOf('flat, read-only', await fixed.viewFor({ ...modern, selection: { readOnly: true } })),
    rowOf('flat, one toolset', await fixed.viewFor({ ...modern, selection: { toolsets: ['issues'] } })),
    rowOf('dynamic, none enabled', await dynamic.viewFor(session()), '2025-11-25'),
    rowOf('dynamic, one enabled', await dynamic.viewFor(session(['issues'])), '2025-11-25'),
    rowOf('search', await searched.viewFor(modern)),
    rowOf('code', await coded.viewFor(modern)),
  ];
}

/** The additional tokens for finding a tool and reading its schema. */
export async function measureSearch(query: string): Promise<{ search: number; describe: number }> {
  const view = await searched.viewFor(modern);
  const textOf = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await registry.executeTool({ name, arguments: args }, view);
    if (isError) throw new Error(JSON.stringify(content));
    return content.map((each) => ('text' in each ? each.text : '')).join('\n');
  };
  const found = await textOf('search_tools', { query });
  const described = await textOf('describe_tools', { addresses: ['list_issues'] });
  if (!found.includes('list_issues')) throw new Error(`Not found: ${found}`);
  return { search: countTokens(found), describe: countTokens(described) };
}
