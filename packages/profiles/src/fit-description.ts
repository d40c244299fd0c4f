import { isJsonObject, joinSentences, mapIn, splitSentences } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { shortenText } from './shorten-text.js';

interface Described {
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchemaObject;
}

/** Maximum number of characters that move to the description of a field. */
const MAX_REST = 16_384;

/**
 * Limits the description of a tool to a number of characters. In a grouped tool, lines about actions and rows of TOON tables get shorter
 * or are left out as a whole; warnings and required fields stay longest. The rest moves to the description of the argument that names the
 * action, because no known client limits descriptions of fields. Texts of other tools lose sentences from the end.
 */
export function fitDescription<T extends Described>(tool: T, limit: number | undefined): T {
  const { description = '', inputSchema } = tool;
  if (limit === undefined || description.length <= limit) return tool;
  const choices = choicesOf(inputSchema);
  const lines = readLines(description, new Set(choices.flatMap(({ values }) => values)));
  const keys = new Set(lines.map(({ key }) => key));
  const place = choices.find(({ values }) => values.some((value) => keys.has(value)));
  if (!place) return { ...tool, description: shortenText(description, limit) };
  const { name, argument } = place;
  const pointer = `More: see \`${name}\`.`;
  const shown = shortenLines(lines, limit - pointer.length - 1);
  const [first = '', ...others] = write(lines, shown);
  const about = joinSentences(String(argument['description'] ?? ''), '\n').trimEnd();
  const rest = shortenText(lines.flatMap((line) => restOf(line, shown.get(line))).join('\n'), MAX_REST);
  const properties = {
    ...(inputSchema['properties'] as JsonSchemaObject),
    [name]: { ...argument, description: `${about}\n${rest}`.trim() },
  };
  return {
    ...tool,
    description: [first, pointer, ...others].join('\n'),
    inputSchema: { ...inputSchema, properties },
  };
}

/** Finds the arguments that accept one of several texts. One of them may name the action. */
function choicesOf({ properties }: JsonSchemaObject) {
  return Object.entries(mapIn(properties)).flatMap(([name, argument]) => {
    const values = isJsonObject(argument) && Array.isArray(argument['enum']) ? argument['enum'] : [];
    return isJsonObject(argument) && values.length > 0
      ? [{ name, argument, values: values.map(String) }]
      : [];
  });
}

/** A line of a description: about an action, the header of a table of actions, or other text. */
interface Line {
  /** The name of the action that the line describes. */
  readonly key?: string | undefined;
  /** The text that can be shortened. */
  readonly sentences: readonly string[];
  /** The required fields and the warning. They are never shortened. */
  readonly tail: string;
  /** The rows of a table, if this line is its header. */
  readonly rows?: Line[];
  /** Writes the line with a text or, for a header, with a number of rows. */
  readonly write: (text: string) => string;
}

/** The part of a line that the description shows. `count` is the number of its whole sentences. */
interface ShownText {
  readonly text: string;
  readonly count: number;
}

type Shown = ReadonlyMap<Line, ShownText>;

function write(lines: readonly Line[], shown: Shown): string[] {
  return lines.flatMap((line) => {
    const count = line.rows?.filter((row) => shown.has(row)).length ?? 1;
    const text = line.rows ? String(count) : shown.get(line)?.text;
    return text === undefined || count === 0 ? [] : [line.write(text)];
  });
}

/** Returns the parts of a line that are not shown. Titles and lists of names are dropped, because they say nothing by themselves. */
function restOf({ key, sentences, tail, rows }: Line, shown: ShownText | undefined): string[] {
  if (rows) return [];
  const hidden = sentences.slice(shown?.count ?? 0);
  if (key === undefined) return hidden.filter((text) => !/^$|:$|^(?:Actions|Modules): /.test(text));
  if (!shown && tail !== '') hidden.push(tail);
  return hidden.length > 0 ? [`${key}: ${hidden.join(' ')}`] : [];
}

/**
 * Shortens the first line, but not below a third of the limit, then all lines about actions to one common length. Drops lines if
 * their labels alone are too long.
 */
function shortenLines(lines: readonly Line[], limit: number): Shown {
  const texts = lines.filter(({ rows }) => !rows);
  let room = Infinity;
  const cutTo = (length: number): Shown =>
    new Map(
      texts.flatMap((line, index) => {
        const text = cut(line, line.key !== undefined ? length : index === 0 ? room : Infinity);
        return isLabel(line, text) ? [] : [[line, text]];
      }),
    );
  const lengthOf = (shown: Shown): number => write(lines, shown).join('\n').length;
  const isFitting = (shown: Shown): boolean => lengthOf(shown) <= limit;
  const excess = lengthOf(cutTo(Infinity)) - limit;
  room = Math.max(Math.floor(limit / 3), (lines[0]?.sentences.join(' ').length ?? 0) - excess);
  let [fitting, longest] = [0, limit];
  while (fitting < longest) {
    const middle = Math.ceil((fitting + longest) / 2);
    if (isFitting(cutTo(middle))) fitting = middle;
    else longest = middle - 1;
  }
  const shown = cutTo(fitting);
  return isFitting(shown) ? shown : dropLines(lines, limit);
}

/** Whether nothing but the action's name would remain of a line. */
function isLabel({ key, sentences, tail }: Line, { text }: ShownText): boolean {
  return key !== undefined && sentences.length > 0 && text === '' && tail === '';
}

/** Keeps the first line, then as many others as fit: first those with warnings, then those with required fields. */
function dropLines(lines: readonly Line[], limit: number): Shown {
  const shown = new Map<Line, ShownText>();
  const headers = new Map(lines.flatMap((line) => line.rows?.map((row) => [row, line] as const) ?? []));
  const paid = new Set<Line>();
  let left = limit;
  const take = (line: Line, text: ShownText): void => {
    const header = headers.get(line);
    const isNew = header !== undefined && !paid.has(header);
    if (isLabel(line, text)) return;
    const length =
      line.write(text.text).length + 1 + (isNew ? header.write(String(header.rows?.length)).length + 1 : 0);
    if (length > left + 1) return;
    if (isNew) paid.add(header);
    shown.set(line, text);
    left -= length;
  };
  const [summary] = lines;
  const ranked = lines
    .filter((line) => line !== summary && !line.rows)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const needed = ranked.reduce((sum, line) => sum + (rankOf(line) < 3 ? line.write('').length + 1 : 0), 0);
  if (summary && !summary.rows) {
    const [about = ''] = summary.sentences;
    take(summary, cut(summary, Math.max(limit - needed, Math.min(about.length, Math.floor(limit / 3)))));
  }
  for (const line of ranked) take(line, cut(line, line.key === undefined ? Infinity : 0));
  return shown;
}

function rankOf({ tail }: Line): number {
  if (tail.includes(WARNING)) return 1;
  return tail === '' ? 3 : 2;
}

/** A shorter beginning of a sentence would tell a model nothing. */
const MIN_CLAUSE = 24;

/** Returns the whole sentences of a line that fit a length. If the first does not fit, returns its beginning. */
function cut({ sentences: [first, ...others] }: Line, length: number): ShownText {
  if (first === undefined) return { text: '', count: 0 };
  if (first.length > length) return { text: length < MIN_CLAUSE ? '' : shortenText(first, length), count: 0 };
  let [text, count] = [first, 1];
  for (const sentence of others) {
    if (text.length + sentence.length >= length) break;
    text += ` ${sentence}`;
    count++;
  }
  return { text, count };
}

const WARNING = '⚠️';

/** A line is about an action if it begins with a known key or has the form that the default strategies write. */
function readLines(description: string, known: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let table: Table | undefined;
  for (const [index, text] of description.split('\n').entries()) {
    if (table && table.rows.length < table.size) {
      const row = readRow(text, table);
      table.rows.push(row);
      lines.push(row);
      continue;
    }
    table = readHeader(text);
    const item = readItem(text);
    const isItem = known.has(item.key) || /^\s*[-*•]\s`/.test(text) || item.tail !== '';
    if (table) lines.push(table);
    else if (isItem && (index > 0 || item.isListed)) lines.push(item);
    else
      lines.push({
        sentences: index === 0 ? splitSentences(text) : [text],
        tail: '',
        write: (shown) => shown,
      });
  }
  return lines;
}

const REQUIRES = 'Requires: ';

/** Reads a line such as `- `users.ban`: Bans a user. Requires: id ⚠️ DESTRUCTIVE`. */
function readItem(line: string): Line & { readonly key: string; readonly isListed: boolean } {
  const [label = '', bullet] = /^\s*([-*•]\s)?(?:`[^`]*`\S*|\S+)/.exec(line) ?? [];
  const content = line.slice(label.length).trim();
  const starts = [content.lastIndexOf(REQUIRES), content.indexOf(WARNING)].filter((start) => start >= 0);
  const end = Math.min(content.length, ...starts);
  const tail = content.slice(end);
  const key = label.slice(0, 200).replaceAll(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, '');
  return {
    key,
    isListed: bullet !== undefined,
    sentences: splitSentences(content.slice(0, end)),
    tail,
    write: (text) => [label, text, tail].filter((part) => part !== '').join(' '),
  };
}

/** The header of a TOON table, such as `users[2|]{action|desc|required|destructive}:`. */
interface Table extends Line {
  readonly name: string;
  readonly size: number;
  readonly separator: string;
  readonly fields: readonly string[];
  readonly rows: Line[];
}

function readHeader(line: string): Table | undefined {
  const [, name, size, mark = '', fields] = /^(.*)\[(\d+)([|\t]?)\]\{([^{}]*)\}:$/.exec(line) ?? [];
  if (name === undefined || fields === undefined) return undefined;
  const separator = mark || ',';
  return {
    name: unquote(name.trim()),
    size: Number(size),
    separator,
    fields: fields.split(separator).map(unquote),
    rows: [],
    sentences: [],
    tail: '',
    write: (count) => `${name}[${count}${mark}]{${fields}}:`,
  };
}

function readRow(line: string, { name, separator, fields }: Table): Line {
  const mark = separator === '|' ? '\\|' : separator;
  const cells = Array.from(
    line.trim().matchAll(new RegExp(`(?:^|${mark})("(?:[^"\\\\]|\\\\.)*"|[^${mark}]*)`, 'g')),
    ([, cell = '']) => cell,
  );
  const cellOf = (field: string): string => unquote(cells[fields.indexOf(field)] ?? '');
  const action = unquote(cells[Math.max(0, fields.indexOf('action'))] ?? '');
  const required = cellOf('required');
  const at = fields.findIndex((field) => field.startsWith('desc'));
  const cell = cells[at] ?? '';
  const isQuoted = cell.startsWith('"');
  return {
    key: name === '' ? action : `${name}.${action}`,
    sentences: splitSentences(unquote(cell)),
    tail: [
      ...(required === '' ? [] : [REQUIRES + required]),
      ...(cellOf('destructive') === 'true' ? [`${WARNING} DESTRUCTIVE`] : []),
    ].join(' '),
    write: (text) => {
      const written = isQuoted || text === '' ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text;
      return at < 0 ? line : (/^\s*/.exec(line)?.[0] ?? '') + cells.with(at, written).join(separator);
    },
  };
}

/** Removes the quotes of a cell. Escaped white space becomes a space. */
function unquote(cell: string): string {
  if (!cell.startsWith('"')) return cell;
  return cell
    .slice(1, -1)
    .replaceAll(/\\(.)/g, (_, escaped: string) => ('nrt'.includes(escaped) ? ' ' : escaped));
}
