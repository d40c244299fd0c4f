import { readFileSync } from 'node:fs';
import type { McpTool } from 'toolfold/model';
import { lowerTool } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { canonicalJson, isJsonObject, unescapeKey, valueAt } from '@toolfold/schema/internal';
import type { SavedList, SavedTool } from '../target/saved-list.js';
import { replaceFile, unusedDefinitions } from '@toolfold/analysis/internal';
import { removeHidden } from '@toolfold/analysis/text';
import type { Finding } from '@toolfold/analysis';

type Written = Record<string, unknown>;

/** Fixes that do not change which calls are valid. Each modifies a copy of a tool. */
const fixes: Readonly<Record<string, (tool: Written) => void>> = {
  'hidden-characters': (tool) => mapProse(tool, removeHidden),
  'hidden-text': (tool) => mapProse(tool, removeComments),
  'enum-duplicate': (tool) => visit(tool['inputSchema'], dropRepeatedChoices),
  'definitions-unused': dropUnusedDefinitions,
};

interface FixedList {
  readonly tools: readonly Written[];
  /** The text of the file with the fixed tools. */
  readonly text: string;
}

export function fixList(
  list: SavedList,
  findings: readonly Finding[],
  profiles: readonly ProfileName[],
): FixedList {
  const pages = structuredClone(list.pages) as unknown[];
  const rulesOf = new Map<string, Set<string>>();
  for (const finding of findings)
    for (const { tool } of [finding, ...(finding.others ?? [])]) {
      const rules = rulesOf.get(tool) ?? new Set();
      rulesOf.set(tool, rules.add(finding.clients ? LOWERED : finding.rule));
    }
  const [only, ...others] = profiles;
  const profile = only !== undefined && others.length === 0 ? only : 'portable';
  const tools = list.tools.map((saved) => {
    const tool = valueAt(pages[saved.page], saved.pointer) as Written;
    const rules = rulesOf.get(saved.tool.name);
    if (!rules) return tool;
    for (const rule of rules) if (Object.hasOwn(fixes, rule)) fixes[rule]?.(tool);
    if (rules.has(LOWERED)) lower(tool, saved, profile);
    return tool;
  });
  return { tools, text: writePages(list, pages) };
}

const LOWERED = 'profile';

/** Lowers a tool for a profile, unless calls would need translation. */
function lower(tool: Written, { tool: listed }: SavedTool, profile: ProfileName): void {
  const current = { ...listed, ...tool } as unknown as McpTool;
  const lowered = lowerTool({ ...current, inputSchema: toSchema(tool['inputSchema']) }, profile);
  if (lowered.encode || lowered.decode || lowered.tool.name !== listed.name) return;
  tool['inputSchema'] = lowered.tool.inputSchema;
  if (lowered.tool.description !== undefined) tool['description'] = lowered.tool.description;
}

function toSchema(value: unknown): McpTool['inputSchema'] {
  return (isJsonObject(value) ? value : {}) as McpTool['inputSchema'];
}

function writePages({ text }: SavedList, pages: readonly unknown[]): string {
  if (pages.length > 1)
    return pages.map((page) => (isEmptyLine(page) ? '' : JSON.stringify(page))).join('\n');
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? (/\n/.test(text.trim()) ? 0 : undefined);
  // JSON.stringify always indents text that has line breaks, so use the smallest indentation.
  return `${JSON.stringify(pages[0], undefined, indent === 0 ? 1 : indent)}\n`;
}

function isEmptyLine(page: unknown): boolean {
  return Array.isArray(page) && page.length === 0;
}

/** Visits every object in a JSON value. The depth of a saved tool is bounded. */
function visit(value: unknown, change: (object: Written) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, change);
  else if (isJsonObject(value)) {
    change(value);
    for (const item of Object.values(value)) visit(item, change);
  }
}

function mapProse(tool: Written, map: (text: string) => string): void {
  const rewrite = (object: Written): void => {
    for (const key of ['title', 'description', '$comment']) {
      const text = object[key];
      if (typeof text === 'string') object[key] = map(text);
    }
  };
  rewrite(tool);
  for (const key of ['annotations', 'inputSchema', 'outputSchema']) visit(tool[key], rewrite);
}

/** Removes HTML comments. Keeps one that is not closed. */
export function removeComments(text: string): string {
  let rest = text;
  for (let start = rest.indexOf('<!--'); start !== -1; start = rest.indexOf('<!--', start)) {
    const end = rest.indexOf('-->', start);
    if (end === -1) return rest;
    rest = `${rest.slice(0, start).trimEnd()}${rest.slice(end + 3)}`;
  }
  return rest;
}

function dropRepeatedChoices(schema: Written): void {
  const { enum: choices } = schema;
  if (Array.isArray(choices))
    schema['enum'] = [
      ...new Map(choices.map((choice) => [canonicalJson(choice), choice as unknown])).values(),
    ];
}

function dropUnusedDefinitions(tool: Written): void {
  const { inputSchema } = tool;
  if (!isJsonObject(inputSchema)) return;
  for (const path of unusedDefinitions({ inputSchema })) {
    const [keyword = '', name = ''] = path.split('/');
    const definitions = inputSchema[keyword];
    if (!isJsonObject(definitions)) continue;
    delete definitions[unescapeKey(name)];
    if (Object.keys(definitions).length === 0) delete inputSchema[keyword];
  }
}

export interface TextFix {
  readonly finding: Finding;
  readonly from: string;
  readonly to: string;
}

/**
 * Replaces texts in a source file. Skips a text unless the file contains it exactly once, because it may be built from parts.
 * Returns the fixed findings.
 */
export function fixSource(file: string, wanted: readonly TextFix[]): Finding[] {
  let text = readFileSync(file, 'utf8');
  const repaired: Finding[] = [];
  for (const { finding, from, to } of wanted) {
    const at = text.indexOf(from);
    if (from === '' || at === -1 || text.includes(from, at + 1)) continue;
    text = text.slice(0, at) + to + text.slice(at + from.length);
    repaired.push(finding);
  }
  if (repaired.length > 0) replaceFile(file, text);
  return repaired;
}
