import { didYouMean, listNames } from '../../schema/validate/describe-issues.js';
import { nearestName } from '../../values/nearest-name.js';
import { UsageError } from '../terminal/exit-codes.js';
import { toLine } from '../terminal/terminal.js';

/** The tools of a server that are offered. */
export interface ToolChoice {
  /** Only tools whose names start with one of these words. */
  readonly toolsets?: readonly string[] | undefined;
  /** Only these tools. */
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  /** Only tools that are marked read-only. */
  readonly readOnly?: boolean | undefined;
}

/** A tool as a server lists it, or a Toolfold definition. */
interface Chooseable {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly metadata?: { readonly annotations?: { readonly readOnlyHint?: boolean | undefined } } | undefined;
}

/** Throws if the choice names a tool or toolset that the server does not have. */
export function assertChoice(
  tools: readonly Chooseable[],
  { toolsets, tools: only, excludeTools }: ToolChoice,
): void {
  const names = tools.map(({ name }) => name);
  for (const name of [...(only ?? []), ...(excludeTools ?? [])]) assertKnown('tool', name, names);
  const words = [...new Set(names.map(firstWord))];
  for (const name of toolsets ?? []) assertKnown('toolset', name, words);
}

export function selectTools<T extends Chooseable>(tools: readonly T[], choice: ToolChoice): T[] {
  const { toolsets, tools: only, excludeTools = [], readOnly } = choice;
  return tools.filter(
    (tool) =>
      (!toolsets || toolsets.includes(firstWord(tool.name))) &&
      (!only || only.includes(tool.name)) &&
      !excludeTools.includes(tool.name) &&
      (readOnly !== true || (tool.annotations ?? tool.metadata?.annotations)?.readOnlyHint === true),
  );
}

function firstWord(name: string): string {
  return /^[^_-]+/.exec(name)?.[0] ?? name;
}

export function assertKnown(kind: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new UsageError(`The server has no ${kind} "${name}". ${hintNames(name, known)}`);
}

/** Suggests the nearest known name, or lists the known names. */
export function hintNames(written: string, known: readonly string[]): string {
  const nearest = nearestName(written, known);
  if (nearest !== undefined) return didYouMean(toLine(nearest, 100)).trim();
  return known.length === 0
    ? 'None are available.'
    : `Available: ${listNames(known.map((name) => toLine(name, 100)))}.`;
}
