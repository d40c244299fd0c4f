import { readFileSync, statSync } from 'node:fs';
import type { Target } from '../../target/read-target.js';
import { isSavedList } from '../../target/saved-list.js';
import type { SavedList } from '../../target/saved-list.js';
import type { Place } from '@toolfold/analysis/internal';
import { joinPointer } from '@toolfold/schema/internal';

/** A file with a line, counted from 1, if it is known. */
export interface FilePosition {
  readonly file: string;
  readonly line?: number | undefined;
}

export type Locate = (place: Place) => FilePosition | undefined;

/** Returns a function that locates findings: exactly in a saved list, by name in source code. */
export function createLocator(target: Target, saved: SavedList | undefined): Locate {
  if (!('file' in target)) return () => undefined;
  const { file } = target;
  if (saved) return locateInList(saved);
  const lines = isSavedList(file) ? [] : readLines(file);
  return ({ tool, action }) => ({ file, line: findName(lines, tool, action) });
}

const MAX_SOURCE = 4 * 1024 * 1024;

function readLines(file: string): readonly string[] {
  return statSync(file).size > MAX_SOURCE ? [] : readFileSync(file, 'utf8').split('\n');
}

/** Finds the line with the quoted name of a tool or action, if exactly one line contains it. */
function findName(lines: readonly string[], tool: string, action: string | undefined): number | undefined {
  const name = action === undefined ? tool : (action.split('.').at(-1) ?? action);
  if (name === '') return undefined;
  const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``];
  const found = lines.flatMap((line, index) =>
    quoted.some((text) => line.includes(text)) ? [index + 1] : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

function locateInList({ file, text, pages, tools }: SavedList): Locate {
  const byName = new Map(tools.map((saved) => [saved.tool.name, saved]));
  const lines = new Map<string, number>();
  let isIndexed = false;
  return ({ tool, pointer }) => {
    const saved = byName.get(tool);
    if (!saved) return { file };
    if (pages.length > 1) return { file, line: saved.page + 1 };
    if (!isIndexed) {
      indexLines(text, lines);
      isIndexed = true;
    }
    // A missing value, such as a description, has the line of the nearest enclosing value.
    for (let place = `${saved.pointer}${pointer}`; ; place = place.slice(0, place.lastIndexOf('/'))) {
      const line = lines.get(place);
      if (line !== undefined || place === '') return { file, line };
    }
  };
}

interface Level {
  readonly pointer: string;
  readonly isArray: boolean;
  count: number;
  key: string;
}

/** Records the line of every value by its JSON pointer. The text must be valid JSON. */
function indexLines(text: string, lines: Map<string, number>): void {
  const stack: Level[] = [];
  let line = 1;
  let isKey = false;
  const pointerOf = (): string => {
    const level = stack.at(-1);
    if (!level) return '';
    return joinPointer(level.pointer, level.isArray ? level.count : level.key);
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') line++;
    else if (char === '"') {
      const start = at;
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
      const level = stack.at(-1);
      if (level && !level.isArray && isKey) {
        level.key = JSON.parse(text.slice(start, at + 1)) as string;
        lines.set(pointerOf(), line);
      } else if (level?.isArray) lines.set(pointerOf(), line);
    } else if (char === '{' || char === '[') {
      const pointer = pointerOf();
      if (!lines.has(pointer)) lines.set(pointer, line);
      stack.push({ pointer, isArray: char === '[', count: 0, key: '' });
      isKey = char === '{';
    } else if (char === '}' || char === ']') {
      stack.pop();
      isKey = false;
    } else if (char === ':') isKey = false;
    else if (char === ',') {
      const level = stack.at(-1);
      if (level?.isArray) level.count++;
      else isKey = true;
    }
  }
}
