import type {
  Budget,
  CostParts,
  Form,
  SurfaceCost,
  TokenReport,
  ToolCost,
} from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';
import { partNames } from '@toolfold/analysis/internal';

export interface Layout {
  readonly width: number;
  readonly hasBlocks: boolean;
}

interface WriteOptions extends Layout {
  readonly top: number;
}

const MAX_NAME = 48;
const MIN_BAR = 6;
const MAX_BAR = 60;

type Marks = Readonly<Record<keyof CostParts, string>>;
const blocks: Marks = { description: '█', fields: '▓', schema: '▒', name: '░' };
const ascii: Marks = { description: '#', fields: '=', schema: '-', name: '.' };

const partLabels: Readonly<Record<keyof CostParts, string>> = {
  description: 'descriptions of tools',
  fields: 'descriptions of fields',
  schema: 'schemas without descriptions',
  name: 'names of tools',
};

export function writeReport(report: TokenReport, options: WriteOptions): string {
  const marks = options.hasBlocks ? blocks : ascii;
  return [
    writeHead(report),
    writeTools(report, marks, options),
    writeParts(report, marks, options),
    writeActions(report, marks, options),
    writeSurfaces(report, marks, options),
    report.budget ? writeBudget(report.tokens, report.budget) : '',
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}

function writeHead({
  source,
  server,
  form,
  profile,
  tools,
  tokens,
  tokenizer,
  counted,
  isExact,
}: TokenReport): string {
  const name = [server.name, server.version].filter((part) => part !== undefined).join(' ');
  const about = [
    ...(name === '' ? [] : [name]),
    ...(form === undefined ? [] : [`form ${form}`]),
    profile === 'none' ? 'not lowered' : `profile ${profile}`,
  ];
  return [
    toLine(`${source} (${about.join(', ')})`),
    `${number(tools.length)} ${tools.length === 1 ? 'tool' : 'tools'}, ${isExact ? '' : 'about '}${number(tokens)} tokens`,
    `Counted with ${tokenizer}: ${counted}.`,
    'Clients and models write tools in different ways, so use the counts to compare.',
    ...(isExact
      ? []
      : ['Very long texts and runs of characters were counted in parts, so the counts are approximate.']),
  ].join('\n');
}

interface Row {
  readonly label: string;
  readonly tokens: number;
  /** The characters of the bar, with the tokens that each represents. */
  readonly bar: readonly (readonly [mark: string, tokens: number])[];
}

/** Formats rows with aligned numbers, and bars relative to the largest row. */
function writeRows(rows: readonly Row[], total: number | undefined, { width }: Layout): string[] {
  const labels = rows.map(({ label }) => toLine(label, MAX_NAME));
  const labelWidth = Math.max(0, ...labels.map((label) => label.length));
  const numbers = rows.map(({ tokens }) => number(tokens));
  const numberWidth = Math.max(0, ...numbers.map((text) => text.length));
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const used = 2 + labelWidth + 2 + numberWidth + (total === undefined ? 0 : 9) + 2;
  const room = Math.min(MAX_BAR, width - used);
  return rows.map(({ tokens, bar }, at) => {
    const share = total === undefined ? '' : `  ${percent(tokens, total).padStart(7)}`;
    const drawn = room < MIN_BAR ? '' : `  ${drawBar(bar, room / most)}`;
    return `  ${labels[at]?.padEnd(labelWidth)}  ${numbers[at]?.padStart(numberWidth)}${share}${drawn}`.trimEnd();
  });
}

/** Draws the parts of a bar. Rounds their ends rather than their lengths, so that the total length is right. */
function drawBar(parts: Row['bar'], scale: number): string {
  let tokens = 0;
  let drawn = '';
  for (const [mark, part] of parts) {
    tokens += part;
    drawn += mark.repeat(Math.max(0, Math.round(tokens * scale) - drawn.length));
  }
  return drawn;
}

function barOf(parts: CostParts, marks: Marks): Row['bar'] {
  return partNames.map((part) => [marks[part], parts[part]]);
}

function writeTools({ tools, tokens }: TokenReport, marks: Marks, options: WriteOptions): string {
  if (tools.length === 0) return 'No tools.';
  const shown = tools.slice(0, options.top);
  const rows = shown.map(({ name, tokens: own, parts }) => ({
    label: name,
    tokens: own,
    bar: barOf(parts, marks),
  }));
  return ['Tools', ...writeRows(rows, tokens, options), ...writeRest(tools.slice(options.top), tokens)].join(
    '\n',
  );
}

function writeRest(rest: readonly ToolCost[], total: number): string[] {
  if (rest.length === 0) return [];
  const tokens = rest.reduce((sum, tool) => sum + tool.tokens, 0);
  return [`  and ${number(rest.length)} more with ${number(tokens)} tokens (${percent(tokens, total)})`];
}

function writeParts({ parts, tokens, tools }: TokenReport, marks: Marks, layout: Layout): string {
  if (tools.length === 0) return '';
  const rows = partNames.map((part) => ({
    label: `${marks[part]} ${partLabels[part]}`,
    tokens: parts[part],
    bar: [[marks[part], parts[part]]] as const,
  }));
  return ['Parts', ...writeRows(rows, tokens, layout)].join('\n');
}

function writeActions({ tools }: TokenReport, marks: Marks, options: WriteOptions): string {
  const actions = tools
    .flatMap((tool) => tool.actions ?? [])
    .toSorted((one, other) => other.tokens - one.tokens);
  if (actions.length === 0) return '';
  const rows = actions.slice(0, options.top).map(({ address, tokens }) => ({
    label: address,
    tokens,
    bar: [[marks.description, tokens]] as const,
  }));
  const more = actions.length - rows.length;
  return [
    'Actions, and the tokens that their tools save without them',
    ...writeRows(rows, undefined, options),
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ].join('\n');
}

function writeSurfaces({ surfaces }: TokenReport, marks: Marks, layout: Layout): string {
  if (surfaces.length === 0) return '';
  const profiles = [...new Set(surfaces.map(({ profile }) => profile))];
  const forms = [...new Set(surfaces.map(({ form }) => form))];
  const problems = surfaces.flatMap((surface) => ('problem' in surface ? [surface] : []));
  const notes = new Set(problems.map(({ form, problem }) => `  ${form} is not possible: ${toLine(problem)}`));
  const [only] = forms;
  if (profiles.length > 1 && forms.length > 1)
    return [...writeMatrix(surfaces, profiles, forms), ...notes].join('\n');
  const rows = surfaces.flatMap((surface) =>
    'problem' in surface
      ? []
      : [
          {
            label: profiles.length > 1 ? surface.profile : `${surface.form} (${count(surface.tools)})`,
            tokens: surface.tokens,
            bar: [[marks.description, surface.tokens]] as const,
          },
        ],
  );
  const title = profiles.length > 1 ? `Profiles${only === undefined ? '' : ` in the form ${only}`}` : 'Forms';
  return [title, ...writeRows(rows, undefined, layout), ...notes].join('\n');
}

/** Formats a table with a row for each profile and a column for each form. */
function writeMatrix(
  surfaces: readonly SurfaceCost[],
  profiles: readonly string[],
  forms: readonly (Form | undefined)[],
): string[] {
  const cellOf = (profile: string, form: Form | undefined): string => {
    const found = surfaces.find((each) => each.profile === profile && each.form === form);
    return found && 'tokens' in found ? number(found.tokens) : '-';
  };
  const rows = profiles.map((profile) => [profile, ...forms.map((form) => cellOf(profile, form))]);
  const table = [['profile', ...forms.map((form) => form ?? '')], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return [
    'Tokens of each form for each profile',
    ...table.map(
      (row) =>
        `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    ),
  ];
}

function writeBudget(
  tokens: number,
  { limit, toolLimit, over, mostExpensive, tools, savings }: Budget,
): string {
  const lines: string[] = [];
  if (limit !== undefined)
    lines.push(
      over > 0
        ? `Over the budget: ${number(tokens)} tokens are ${number(over)} more than ${number(limit)}.`
        : `Within the budget: ${number(tokens)} of ${number(limit)} tokens.`,
    );
  if (mostExpensive.length > 0)
    lines.push(
      `  Most expensive: ${mostExpensive.map(({ name, tokens: own }) => `${toLine(name, MAX_NAME)} (${number(own)})`).join(', ')}`,
    );
  if (savings.length > 0)
    lines.push(
      `  Saves most: ${savings.map(({ change, tokens: saved }) => `${toLine(change, MAX_NAME + 8)} (${number(saved)})`).join(', ')}`,
    );
  if (toolLimit !== undefined && tools.length === 0)
    lines.push(`Every tool is within ${number(toolLimit)} tokens.`);
  for (const { name, tokens: own, over: above } of tools)
    lines.push(
      `Over the budget of a tool: ${toLine(name, MAX_NAME)} has ${number(own)} tokens, ${number(above)} more than ${number(toolLimit ?? 0)}.`,
    );
  return lines.join('\n');
}

function count(tools: number): string {
  return `${number(tools)} ${tools === 1 ? 'tool' : 'tools'}`;
}

const number = (value: number): string => value.toLocaleString('en-US');

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`;
