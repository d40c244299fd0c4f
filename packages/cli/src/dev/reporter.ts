import { dirname, resolve } from 'node:path';
import type { CallToolResult, View } from 'toolfold';
import { codeFrame, describeError, showPlace } from '../terminal/describe-error.js';
import { CommandError } from '@toolfold/analysis/internal';
import { explainPort } from 'toolfold/internal';
import { toLine } from 'toolfold/internal';
import type { Terminal } from '../terminal/terminal.js';
import { CompileError } from './bundler.js';
import type { CallObserver } from './live-server.js';
import type { Surface, SurfaceChange } from './surface.js';
import { count } from '../terminal/count.js';

const MAX_NAME = 100;
const MAX_PROBLEM = 200;
const MAX_NAMES = 20;

interface ReporterOptions {
  readonly terminal: Terminal;
  readonly entry: string;
  readonly isJson: boolean;
  /** Whether standard output carries MCP. */
  readonly isStdio: boolean;
}

export class Reporter implements CallObserver {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  serving(file: string, { tools, actions, tokens }: Surface, url?: string): void {
    const size = `${count(tools, 'tool')}, ${count(actions, 'action')}, about ${tokens} tokens`;
    this.#write(
      { event: 'serving', file, url, tools, actions, tokens },
      `Serving ${file} ${url === undefined ? 'on standard input and output' : `at ${url}`}: ${size}`,
    );
  }

  page(url: string): void {
    this.#write({ event: 'page', url }, `Page: ${url}`);
  }

  pageFailed(error: unknown): void {
    const text = explainPort(error, '--ui-port') ?? (error instanceof Error ? error.message : String(error));
    this.#write({ event: 'page', error: text }, `The page cannot be served: ${text}`);
  }

  reloaded(file: string, ms: number, change: SurfaceChange, before: Surface, after: Surface): void {
    const { added, removed, changed } = change;
    const difference = after.tokens - before.tokens;
    const tokens =
      difference === 0
        ? `${after.tokens} tokens`
        : `${before.tokens} → ${after.tokens} tokens (${difference > 0 ? '+' : ''}${difference})`;
    const isSame = added.length + removed.length + changed.length === 0;
    this.#write(
      { event: 'reloaded', file, ms, added, removed, changed, tokens: [before.tokens, after.tokens] },
      [
        `Reloaded ${file} in ${ms} ms: ${isSame ? 'the tools are the same, ' : ''}${tokens}`,
        ...listNames('+', added),
        ...listNames('-', removed),
        ...listNames('~', changed),
      ].join('\n'),
    );
  }

  needsRestart(): void {
    const text = 'The options of http or stdio have changed. Restart toolfold dev to apply them.';
    this.#write({ event: 'restart' }, text);
  }

  unchanged(file: string): void {
    this.#write({ event: 'unchanged', file }, `${file} has not changed.`);
  }

  failed(file: string, error: unknown, isServing: boolean): void {
    const text = this.describeFailure(error);
    const rest = isServing ? 'The last version goes on.' : 'Waiting for a change.';
    this.#write({ event: 'failed', file, error: text }, `${file} cannot be loaded. ${rest}\n${text}`);
  }

  /** Reports an error of the author's code that occurred after loading. */
  readonly fault = (error: unknown): void => {
    const text = describeError(error);
    this.#write({ event: 'error', error: text }, text);
  };

  async call(
    request: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
    view: View,
    run: () => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const start = performance.now();
    const result = await run();
    this.#called(addressOf(view.tools, request), start, ...outcomeOf(result));
    return result;
  }

  prompt<T>(name: string, run: () => Promise<T>): Promise<T> {
    return this.#observe(`prompt ${name}`, run);
  }

  resource<T>(uri: string, run: () => Promise<T>): Promise<T> {
    return this.#observe(`resource ${uri}`, run);
  }

  async #observe<T>(address: string, run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      const result = await run();
      this.#called(address, start, 'ok');
      return result;
    } catch (error) {
      const { code, name, message } = Object(error) as { code?: unknown; name?: unknown; message?: unknown };
      this.#called(address, start, String(code ?? name ?? 'error'), String(message ?? error));
      throw error;
    }
  }

  #called(address: string, start: number, outcome: string, problem?: string): void {
    const ms = Math.round((performance.now() - start) * 10) / 10;
    const name = toLine(address, MAX_NAME);
    const text = problem === undefined ? '' : `: ${toLine(problem, MAX_PROBLEM)}`;
    this.#write(
      {
        event: 'call',
        address: name,
        ms,
        outcome,
        ...(problem === undefined ? {} : { problem: text.slice(2) }),
      },
      `${name}  ${ms} ms  ${toLine(outcome, MAX_NAME)}${text}`,
    );
  }

  describeFailure(error: unknown): string {
    if (error instanceof CommandError) return error.message;
    if (!(error instanceof CompileError)) return describeError(error);
    return error.problems
      .map(({ text, location }) => {
        if (!location) return text;
        const file = resolve(dirname(this.#options.entry), location.file);
        // esbuild counts columns from 0.
        const place = { file, line: location.line, column: location.column + 1 };
        return [`${showPlace(place)}: ${text}`, codeFrame(place)].filter((part) => part !== '').join('\n');
      })
      .join('\n');
  }

  #write(event: object, text: string): void {
    const { terminal, isJson, isStdio } = this.#options;
    const line = isJson ? JSON.stringify(event) : text;
    if (isStdio) terminal.printError(line);
    else terminal.print(line);
  }
}

function listNames(sign: string, names: readonly string[]): string[] {
  const shown = names.slice(0, MAX_NAMES).map((name) => `  ${sign} ${toLine(name, MAX_NAME)}`);
  return names.length > MAX_NAMES ? [...shown, `  ${sign} ${names.length - MAX_NAMES} more`] : shown;
}

/** Returns the address of the called action, including calls through the search tools. */
function addressOf(
  tools: View['tools'],
  { name, arguments: given = {} }: Parameters<CallObserver['call']>[0],
): string {
  const tool = tools.get(name);
  const forwarded = tool?.forward?.(given);
  if (typeof forwarded === 'object') return addressOf(forwarded.tools, forwarded);
  const key = tool?.discriminator === undefined ? '' : String(given[tool.discriminator] ?? '');
  return tool?.actions.get(key)?.address ?? (key === '' ? name : `${name}/${key}`);
}

function outcomeOf({ isError, resultType, content, _meta }: CallToolResult): [string, string?] {
  if (isError !== true) return [resultType ?? 'ok'];
  const report = _meta?.['toolfold/error'] as { code?: unknown; message?: unknown } | undefined;
  const [first] = content;
  const text = first?.type === 'text' ? first.text : undefined;
  const message = typeof report?.message === 'string' ? report.message : text;
  const code = typeof report?.code === 'string' ? report.code : 'error';
  return message === undefined ? [code] : [code, message];
}
