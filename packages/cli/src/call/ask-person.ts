import { isJsonObject, mapIn } from '@toolfold/schema/internal';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { AskPerson } from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';
import type { Terminal } from '../terminal/terminal.js';
import { convertText, describeShape, fieldOf, readShape } from './field-schema.js';

interface AskOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

export function createAsker(terminal: Terminal, signal: AbortSignal): AskPerson {
  const { stdin: input, stderr: output } = terminal.host;
  if (terminal.isInteractive) return askAt({ input, output, signal });
  return async ({ message }) => {
    terminal.notify(`declined a question because there is no terminal: ${toLine(String(message))}`);
    return { action: 'decline' };
  };
}

type Answer = Awaited<ReturnType<AskPerson>>;

/** Asks questions one at a time, field by field. Ctrl-D declines. */
export function askAt({ input, output, signal }: AskOptions): AskPerson {
  let lines: AsyncIterator<string> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const ended = new Promise<{ done: true; value: undefined }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ done: true, value: undefined }), { once: true });
  });
  const askLine: AskLine = async (text) => {
    output.write(text);
    // All questions share one line reader, so that no line is lost between two of them.
    lines ??= createInterface({ input, output, terminal: false })[Symbol.asyncIterator]();
    const { done, value } = await Promise.race([lines.next(), ended]);
    return done === true ? undefined : value;
  };
  const ask: AskPerson = async (question) => {
    output.write(`The server asks: ${toLine(String(question['message']))}\n`);
    if (question['mode'] === 'url') return askForPage(String(question['url']), askLine);
    return askForFields(question['requestedSchema'], askLine, output);
  };
  return (question) => {
    const asked = last.then(() => ask(question));
    last = asked.catch(() => undefined);
    return asked;
  };
}

type AskLine = (text: string) => Promise<string | undefined>;

async function askForPage(url: string, ask: AskLine): Promise<Answer> {
  const answer = await ask(`  Open ${toLine(url)}\n  Done? [y/N] `);
  return { action: isYes(answer) ? 'accept' : 'decline' };
}

async function askForFields(schema: unknown, ask: AskLine, output: Writable): Promise<Answer> {
  const root = isJsonObject(schema) ? schema : {};
  const shape = readShape(root, root);
  const content = new Map<string, unknown>();
  if (shape.properties.size === 0)
    return isYes(await ask('  Agree? [y/N] ')) ? { action: 'accept', content: {} } : { action: 'decline' };
  output.write('  Ctrl-D declines.\n');
  const properties = mapIn(root['properties']);
  for (const name of shape.properties.keys()) {
    const field = fieldOf(shape, name) ?? shape;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const preset = isJsonObject(property) ? property['default'] : undefined;
    const isRequired = shape.required.includes(name);
    const notes = [
      describeShape(field),
      preset !== undefined ? `default ${JSON.stringify(preset)}` : isRequired ? undefined : 'optional',
    ].filter((note) => note !== undefined);
    const title = field.description === undefined ? '' : `  ${toLine(field.description)}\n`;
    for (;;) {
      const text = await ask(`${title}  ${toLine(name)} (${toLine(notes.join(', '))}): `);
      if (text === undefined) return { action: 'decline' };
      if (text === '' && preset !== undefined) content.set(name, preset);
      if (text === '' && (preset !== undefined || !isRequired)) break;
      const converted = field.types.has('array') ? convertList(text, field) : convertText(text, field);
      if ('value' in converted && !(text === '' && isRequired)) {
        content.set(name, converted.value);
        break;
      }
      output.write(
        `  ${toLine(name)} ${'problem' in converted ? toLine(converted.problem) : 'is required'}\n`,
      );
    }
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

function convertList(text: string, field: Parameters<typeof convertText>[1]): ReturnType<typeof convertText> {
  const values: unknown[] = [];
  for (const [at, item] of text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .entries()) {
    const converted = convertText(item, field.itemAt(at));
    if ('problem' in converted) return converted;
    values.push(converted.value);
  }
  return { value: values };
}

function isYes(answer: string | undefined): boolean {
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
