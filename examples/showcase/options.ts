import { parseArgs } from 'node:util';
import { StartError } from './errors.js';
import { allowances, forms, toolsetKeys } from './choices.js';
import type { Allowance, Form } from './choices.js';

export interface Options {
  readonly isHelp: boolean;
  readonly isStdio: boolean;
  readonly port: number;
  readonly form: Form;
  readonly allow: Allowance;
  readonly toolsets: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly data: string;
  readonly keys: string | undefined;
  readonly callsPerMinute: number;
  readonly isJson: boolean;
  readonly isTelemetry: boolean;
  /** Whether the page that shows the server in a browser is served. */
  readonly hasPage: boolean;
}

const config = {
  stdio: { type: 'boolean', default: false },
  port: { type: 'string', default: '3000' },
  form: { type: 'string', default: 'grouped' },
  allow: { type: 'string', default: 'read' },
  toolsets: { type: 'string' },
  readonly: { type: 'boolean', default: false },
  data: { type: 'string', default: '.showcase' },
  keys: { type: 'string' },
  'calls-per-minute': { type: 'string', default: '6000' },
  json: { type: 'boolean', default: false },
  telemetry: { type: 'boolean', default: false },
  'no-page': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const optionNames = Object.keys(config);

export const help = `A personal-finance MCP server with a year of generated data.

Usage: npm start -- [options]
       npm start --silent -- --stdio [options]

Options:
  --stdio                Serve over stdio instead of HTTP
  --port <number>        Port on 127.0.0.1; 0 chooses a free one. Default: 3000
  --form <form>          Form of the tools: ${forms.join(', ')}. Default: grouped
  --allow <what>         What programs may call in the form code: ${allowances.join(', ')}. With write, deletions ask the user.
                         Default: read
  --toolsets <a,b>       Only these toolsets. Default: all
  --readonly             Only tools that change nothing
  --data <folder>        Folder of the books. Default: .showcase
  --keys <file>          API keys of the callers over HTTP. Default: every client on this machine may call
  --calls-per-minute <n> Rate limit for each caller and action. Default: 6000
  --json                 Print the address, the address of the page and the process id as a line of JSON
  --telemetry            Write a line to standard error for each call
  --no-page              Do not serve the page that shows the server in a browser. It is also off over stdio and with
                         NODE_ENV=production
  --help                 Show this

With DATABASE_URL=postgresql://user:password@host:5432/database the books are in a PostgreSQL database.

Examples:
  npm start -- --form search --readonly
  npm start -- --form code --allow write
  npm start -- --toolsets accounts,reports --port 8080
`;

export function readOptions(argv: readonly string[]): Options {
  const values = parse(argv);
  return {
    isHelp: values.help,
    isStdio: values.stdio,
    port: readWhole('--port', values.port, 0, 65_535),
    form: readForm(values.form),
    allow: readAllowance(values.allow),
    toolsets: values.toolsets === undefined ? undefined : readToolsets(values.toolsets),
    isReadOnly: values.readonly,
    data: readFolder(values.data),
    keys: values.keys,
    callsPerMinute: readWhole('--calls-per-minute', values['calls-per-minute'], 1, 1_000_000_000),
    isJson: values.json,
    isTelemetry: values.telemetry,
    hasPage: !values['no-page'],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: config }).values;
  } catch (error) {
    // Only the first sentence of Node's message is kept; the rest is about positional arguments, which are not used.
    const [problem] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw new StartError(`${problem}. There are: ${optionNames.map((name) => `--${name}`).join(', ')}.`, 2);
  }
}

function readWhole(name: string, text: string, low: number, high: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= low && value <= high) return value;
  throw new StartError(`${name} must be a whole number from ${low} to ${high}, and is "${text}".`, 2);
}

function readToolsets(text: string): readonly string[] {
  const keys = text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  const unknown = keys.find((key) => !toolsetKeys.some((each) => each === key));
  if (unknown === undefined && keys.length > 0) return keys;
  const problem = unknown === undefined ? '--toolsets names none.' : `There is no toolset "${unknown}".`;
  throw new StartError(`${problem} There are: ${toolsetKeys.join(', ')}.`, 2);
}

/** An empty path would mean the current folder. */
function readFolder(text: string): string {
  if (text.trim() !== '') return text;
  throw new StartError('--data names no folder.', 2);
}

function readForm(text: string): Form {
  const form = forms.find((each) => each === text);
  if (form) return form;
  throw new StartError(`--form must be ${forms.join(', ')}, and is "${text}".`, 2);
}

function readAllowance(text: string): Allowance {
  const allow = allowances.find((each) => each === text);
  if (allow) return allow;
  throw new StartError(`--allow must be ${allowances.join(' or ')}, and is "${text}".`, 2);
}
