import { findTool } from '../target/find-tool.js';
import { withTarget } from '../target/open-target.js';
import {
  describeTarget,
  describeForms,
  readFormOptions,
  readProfile,
  readOnlyTarget,
  readTargetOptions,
  targetSpecs,
  toolsetSpecs,
} from '../target/read-target.js';
import { exitCodes, yieldToEventLoop } from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { serverExits } from '../terminal/command.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { lowerTarget, reportClients, writeClients } from './clients.js';
import { createDetail, createReport } from './report.js';
import type { ListedHints } from '@toolfold/analysis/internal';
import type { Detail, Report, ReportedAction, ReportedTool, Warning } from './report.js';
import { count } from '../terminal/count.js';

export const inspectCommand: Command = {
  summary: 'Show the tools of a server and their cost in tokens',
  about: `Show the tools, actions, toolsets, prompts and resources of a server, and their cost in tokens.

Usage:
  toolfold inspect [options] <file>
  toolfold inspect [options] <list.json>
  toolfold inspect [options] <url>
  toolfold inspect [options] -- <command> [arguments]

The file exports a server (export default defineServer(…)), a registry or builders. It is loaded, but nothing is served.
TypeScript files need tsx, or Node 22.18.
A JSON file holds a saved tools/list: an array of tools, { "tools": […] }, or the JSON-RPC response.`,
  specs: {
    tool: { value: 'address', help: 'Show one tool or action in full, with its schemas' },
    ...describeForms('With a file: the form to show. Default: that of the server'),
    profile: {
      value: 'name',
      help: 'Show the tools as this client or model API gets them. Default: standard for a file, unchanged for others',
    },
    clients: { help: 'Add a table of the profile, form and tools that each known client gets, and why' },
    ...toolsetSpecs,
    readonly: { help: 'Only tools and actions that are marked read-only' },
    ...targetSpecs,
    json: { help: 'Print the report, or the error, as JSON' },
  },
  examples: [
    'toolfold inspect server.ts',
    'toolfold inspect server.ts --tool platform/users.create',
    'toolfold inspect server.ts --clients',
    'toolfold inspect tools.json --profile gemini',
    'toolfold inspect https://example.com/mcp --header "Authorization: Bearer $TOKEN" --json',
    'toolfold inspect -- npx -y @modelcontextprotocol/server-everything',
  ],
  exits: { 0: 'the report is complete', 1: 'the server could not be inspected', ...serverExits },
  run: inspect,
};

async function inspect(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const target = readOnlyTarget(read, 'inspect');
  const form = readFormOptions(read);
  const profile = readProfile(options.get('profile')?.[0]);
  const settings = readTargetOptions(read);
  const address = options.get('tool')?.[0];
  const opening = {
    ...settings,
    ...form,
    profile,
    toolsets: readList(options.get('toolsets')),
    readOnly: options.has('readonly'),
    terminal,
  };
  return withTarget(target, opening, async (loaded, signal) => {
    const opened = profile === undefined ? loaded : lowerTarget(loaded, profile);
    const found = address === undefined ? undefined : findTool(opened.tools, address);
    const clients =
      options.has('clients') && !found ? await reportClients(loaded, { terminal, signal }) : undefined;
    const shown = found
      ? createDetail(found.listed, found.action)
      : { ...(await createReport(describeTarget(target), opened)), ...(clients ? { clients } : {}) };
    await yieldToEventLoop(signal);
    if (options.has('json')) terminal.printJson(shown);
    else terminal.print('source' in shown ? writeReport(shown) : writeDetail(shown));
    return exitCodes.done;
  });
}

const MAX_TEXT = 100;
const MAX_WARNINGS = 20;

function writeReport(report: Report): string {
  const sections = [
    writeHead(report),
    ...writeTools(report),
    writeList(
      'Prompts',
      report.prompts.map(({ name, arguments: args, description }) => [
        `${name}(${args.join(', ')})`,
        description,
      ]),
    ),
    writeList(
      'Resources',
      report.resources.map(({ uri, name, description }) => [uri, description ?? name]),
    ),
    writeForms(report),
    writeClients(report.clients),
    writeWarnings(report.warnings),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function writeHead({ source, server, found, form, profile, tools, tokens }: Report): string {
  const name = [server.name, server.version].filter((part) => part !== undefined).join(' ');
  const actions = tools.reduce((sum, { actions: own }) => sum + (own?.length ?? 1), 0);
  const about = [
    source,
    found === undefined ? undefined : `exports ${found}`,
    form === undefined ? undefined : `form ${form}`,
    profile === undefined ? undefined : `profile ${profile}`,
    server.protocol === undefined ? undefined : `MCP ${server.protocol}`,
  ].filter((part) => part !== undefined);
  const hasActions = tools.some((tool) => tool.actions);
  return [
    toLine(`${name === '' ? 'Unnamed server' : name} (${about.join(', ')})`),
    `${count(tools.length, 'tool')}${hasActions ? ` with ${count(actions, 'action')}` : ''}, about ${tokens.total} tokens`,
    `Tokens are ${tokens.method}.`,
    ...(server.instructions === undefined ? [] : [`Instructions: ${toLine(server.instructions, MAX_TEXT)}`]),
  ].join('\n');
}

/** Formats a tree for each toolset, or a single tree. Expands a tool of several toolsets only in the first. */
function writeTools({ tools, toolsets }: Report): string[] {
  if (toolsets.length === 0)
    return tools.length === 0 ? ['No tools.'] : [tools.map((tool) => writeTool(tool)).join('\n')];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const seen = new Map<string, string>();
  const sections = toolsets.map(({ key, description, tools: names }) => {
    const own = names.flatMap((name) => byName.get(name) ?? []);
    const cost = own.reduce((sum, { tokens }) => sum + tokens, 0);
    const lines = own.map((tool) => {
      const first = seen.get(tool.name);
      if (first !== undefined) return `  ${toLine(tool.name)}  see ${first}`;
      seen.set(tool.name, key);
      return indent(writeTool(tool));
    });
    return [`toolset ${toLine(key)}  ~${cost} tokens${describe(description)}`, ...lines].join('\n');
  });
  const others = tools.filter(({ name }) => !seen.has(name));
  return others.length === 0
    ? sections
    : [...sections, ['in no toolset', ...others.map((tool) => indent(writeTool(tool)))].join('\n')];
}

function writeTool(tool: ReportedTool): string {
  const { name, tokens, annotations, scopes, actions = [], discriminator } = tool;
  const marks = [`~${tokens} tokens`, ...identityOf(tool), ...marksOf(annotations, scopes)].join(', ');
  // The rest of a grouped tool's description repeats the actions, which are printed below.
  const description =
    discriminator === undefined ? tool.description : tool.description?.split(/\. Modules?: |\n/)[0];
  return [`${toLine(name)}  ${marks}${describe(description)}`, ...writeActions(actions)].join('\n');
}

function writeActions(actions: readonly ReportedAction[]): string[] {
  const width = actions.reduce((most, action) => Math.max(most, keyOf(action).length), 0);
  let group: string | undefined;
  return actions.flatMap((action, at) => {
    const isLast = at === actions.length - 1;
    const isNew = action.group !== undefined && action.group.name !== group;
    group = action.group?.name;
    const heading =
      isNew && action.group?.description !== undefined
        ? [`  ├ ${toLine(`${group}: ${action.group.description}`, MAX_TEXT)}`]
        : [];
    const marks = marksOf(action.annotations, action.scopes).join(', ');
    const parts = [toLine(keyOf(action)).padEnd(width), marks, toLine(action.description ?? '', MAX_TEXT)];
    return [
      ...heading,
      `  ${isLast ? '└' : '├'} ${parts.filter((part) => part.trim() !== '').join('  ')}`.trimEnd(),
    ];
  });
}

/** Strips the name of the tool, which is the heading, from the address. */
function keyOf({ address }: ReportedAction): string {
  return address.slice(address.indexOf('/') + 1);
}

function identityOf({ id, version }: Pick<ReportedTool, 'id' | 'version'>): string[] {
  return [
    ...(id === undefined ? [] : [`ID ${toLine(id)}`]),
    ...(version === undefined ? [] : [`version ${toLine(version)}`]),
  ];
}

function marksOf(hints: ListedHints = {}, scopes: readonly string[] = []): string[] {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  return [
    readOnly === true ? 'read-only' : undefined,
    destructive === true ? 'destructive' : undefined,
    idempotent === true ? 'idempotent' : undefined,
    openWorld === true ? 'open world' : undefined,
    scopes.length > 0 ? `needs ${toLine(scopes.join(' '))}` : undefined,
  ].filter((mark) => mark !== undefined);
}

function describe(text: string | undefined): string {
  const line = toLine(text ?? '', MAX_TEXT);
  return line === '' ? '' : `\n  ${line}`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

function writeList(title: string, rows: readonly (readonly [string, string | undefined])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([left, right]) => `  ${[toLine(left), toLine(right ?? '', MAX_TEXT)].filter(Boolean).join('  ')}`,
  );
  return [title, ...lines].join('\n');
}

function writeForms({ forms }: Report): string {
  if (forms.length === 0) return '';
  const rows = forms.map((cost) => {
    const name = `  ${cost.form.padEnd(8)}`;
    if ('problem' in cost) return `${name} not possible: ${toLine(cost.problem)}`;
    return `${name} ${count(cost.tools, 'tool').padStart(9)}  ~${cost.tokens} tokens`;
  });
  return ['Cost of each form', ...rows].join('\n');
}

function writeWarnings(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  const shown = warnings
    .slice(0, MAX_WARNINGS)
    .map(({ address, message }) => `  ${address === '' ? '' : `${toLine(address)}: `}${message}`);
  const more = warnings.length - shown.length;
  return ['Warnings', ...shown, ...(more > 0 ? [`  and ${more} more; --json lists all`] : [])].join('\n');
}

function writeDetail({
  address,
  tool,
  version,
  annotations,
  scopes,
  tokens,
  actions,
  inputSchema,
  outputSchema,
}: Detail): string {
  const cost = `~${tokens} tokens${address.includes('/') ? ' for the whole tool' : ''}`;
  const marks = [cost, ...identityOf({ version }), ...marksOf(annotations, scopes)].join(', ');
  return [
    `${toLine(address)}  ${marks}`,
    ...(tool.title === undefined ? [] : [toLine(tool.title)]),
    ...(tool.description === undefined || tool.description === ''
      ? []
      : [
          tool.description
            .split('\n')
            .map((line) => toLine(line))
            .join('\n'),
        ]),
    ...(actions ? [`\nDetails: ${actions.map((each) => toLine(each)).join(', ')}`] : []),
    `\nInput\n${JSON.stringify(inputSchema, undefined, 2)}`,
    ...(outputSchema === undefined ? [] : [`\nOutput\n${JSON.stringify(outputSchema, undefined, 2)}`]),
  ].join('\n');
}
