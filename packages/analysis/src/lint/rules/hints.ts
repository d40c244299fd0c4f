import { addressOf, at, hasDefinitions, wholeList } from '../finding.js';
import type { Fault, Item, LintRule, Surface } from '../finding.js';
import type { ListedTool } from '../../target/opened-target.js';
import { isJsonObject, joinPointer, namesIn } from '@toolfold/schema/internal';
import { effectOf, listSome } from '../words.js';

function isUndeclared({ hints }: Item): boolean {
  // Ignore hints that are not booleans.
  return typeof hints.readOnly !== 'boolean' && typeof hints.destructive !== 'boolean';
}

function* findMissing({ items }: Surface): Generator<Fault> {
  const missing = items.filter(isUndeclared);
  if (missing.length === 0) return;
  const isAll = missing.length === items.length;
  const [first] = missing;
  yield {
    ...(missing.length === 1 && first ? at(first, '/annotations') : wholeList),
    reason: `${isAll ? (items.length === 1 ? 'The tool says' : `None of the ${items.length} tools says`) : missing.length === 1 ? `"${addressOf(missing[0] as Item)}" does not say` : `${missing.length} of ${items.length} tools do not say`} whether ${missing.length === 1 ? 'it reads or changes data' : 'they read or change data'}${isAll || missing.length === 1 ? '' : `: ${listSome(missing.map(addressOf))}`}. Clients then assume the worst, ask a person for every call, or cancel it.`,
  };
}

function* findContradictions({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const { readOnly, destructive } = item.hints;
    if (readOnly === true && destructive === true)
      yield {
        ...at(item, '/annotations'),
        reason:
          'readOnlyHint and destructiveHint are both true, but a tool that only reads destroys nothing.',
      };
  }
}

/** Verbs that cannot be read-only. Excludes `create` and `set`, because `create_report` and `set_filter` may be. */
const changing =
  /^(?:delete|remove|destroy|drop|purge|erase|wipe|truncate|uninstall|revoke|update|insert|overwrite|rename|send|publish)(?![a-z])/i;

function* findNameContradictions({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const { readOnly, destructive } = item.hints;
    const own = item.name.slice(item.name.lastIndexOf('.') + 1);
    const effect = effectOf(own);
    const verb = changing.exec(own)?.[0];
    if (readOnly === true && verb !== undefined)
      yield {
        ...at(item, '/annotations/readOnlyHint'),
        reason: `The name says that the tool changes data ("${verb}"), but readOnlyHint is true. Clients run read-only tools without asking.`,
        fix: 'Set readOnlyHint to false and destructiveHint to true, or rename the tool.',
      };
    else if (
      destructive === false &&
      effect === 'destroy' &&
      /^(?:delete|destroy|drop|purge|erase|wipe|truncate)/i.test(own)
    )
      yield {
        ...at(item, '/annotations/destructiveHint'),
        reason: `The name says that the tool destroys data, but destructiveHint is false. Clients then call it without a warning.`,
        fix: 'Set destructiveHint to true.',
      };
    else if (
      destructive === true &&
      readOnly !== true &&
      effect === 'read' &&
      /^(?:get|list|read|search|find|fetch|show|describe|count)(?![a-z])/i.test(own)
    )
      yield {
        ...at(item, '/annotations/destructiveHint'),
        reason:
          'The name says that the tool reads, but destructiveHint is true. Clients ask a person before every call.',
        fix: 'Set readOnlyHint to true, or name what the tool changes.',
      };
  }
}

function* findMixedGroups({ tools }: Surface): Generator<Fault> {
  for (const listed of tools) {
    const mixed = hasDefinitions(listed) ? undefined : mixedChoices(listed);
    if (!mixed) continue;
    const { reads, destroys, pointer } = mixed;
    yield {
      ...at({ tool: listed.tool.name }, pointer),
      reason: `The tool mixes reads (${listSome(reads, 3)}) with destructive actions (${listSome(destroys, 3)}), so clients ask a person before every read.`,
    };
  }
  yield* findMixedDefinitions(tools.filter(hasDefinitions));
}

/** Reports one note for all mixed groups of a registry, because it can serve its actions in the flat form. */
function* findMixedDefinitions(tools: readonly ListedTool[]): Generator<Fault> {
  const mixed = tools.filter(
    ({ actions }) =>
      actions.some(({ hints }) => hints?.readOnly === true) &&
      actions.some(({ hints }) => hints?.destructive === true),
  );
  const [first, ...others] = mixed.map(({ tool }) => at({ tool: tool.name }));
  if (!first) return;
  const names = mixed.map(({ tool }) => tool.name);
  yield {
    ...(others.length === 0 ? first : wholeList),
    severity: 'note',
    reason: `${names.length === 1 ? 'The tool' : `${names.length} tools`} ${listSome(names)} ${names.length === 1 ? 'mixes' : 'mix'} reads with destructive actions, so clients that go by hints ask a person before every read.`,
    fix: 'Serve the flat form to such clients, or move the destructive actions to a tool of their own.',
    others: others.length === 0 ? undefined : [first, ...others],
  };
}

interface Mixed {
  readonly reads: readonly string[];
  readonly destroys: readonly string[];
  readonly pointer: string;
}

const discriminators = new Set(['action', 'method', 'operation', 'command', 'op', 'mode', 'verb']);

/** Judges the values of an argument such as `method` by their names, because the hints of a listed tool cover all of them. */
function mixedChoices({ tool, hints }: ListedTool): Mixed | undefined {
  const { properties } = tool.inputSchema;
  if (!isJsonObject(properties) || hints.readOnly === true) return undefined;
  for (const [name, field] of Object.entries(properties)) {
    if (!discriminators.has(name) || !isJsonObject(field)) continue;
    const choices = namesIn(field['enum']);
    // `create_request` with an HTTP method stores a request but does not send it.
    if (effectOf(tool.name) === 'write' && choices.some((choice) => /^post$/i.test(choice))) continue;
    const reads = choices.filter((choice) => effectOf(choice) === 'read');
    const destroys = choices.filter((choice) => effectOf(choice) === 'destroy');
    if (reads.length > 0 && destroys.length > 0)
      return { reads, destroys, pointer: joinPointer('/inputSchema/properties', name, 'enum') };
  }
  return undefined;
}

const annotations = {
  source: 'https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations',
  date: '2025-11',
} as const;

export const hintRules: readonly LintRule[] = [
  {
    id: 'hints-missing',
    severity: 'warning',
    summary: 'Tools declare neither readOnlyHint nor destructiveHint. One finding for the whole list.',
    fix: 'Declare readOnlyHint for tools that only read, and destructiveHint for the others.',
    source: 'https://github.com/mksglu/context-mode/issues/846',
    date: '2026-06',
    check: findMissing,
  },
  {
    id: 'hints-contradict',
    severity: 'error',
    summary: 'A tool is marked as read-only and as destructive.',
    fix: 'Remove the hint that is wrong.',
    ...annotations,
    check: findContradictions,
  },
  {
    id: 'hints-contradict-name',
    severity: 'error',
    summary: 'The hints say the opposite of the name, such as readOnlyHint on `delete_user`.',
    fix: 'Correct the hint or the name.',
    ...annotations,
    check: findNameContradictions,
  },
  {
    id: 'group-mixes-risk',
    severity: 'warning',
    summary:
      'A tool with several actions mixes reads and destructive actions. For a registry, one note for the whole list.',
    fix: 'Move the destructive actions to a tool of their own, or serve the flat form.',
    source: 'https://github.com/debugg-ai/debugg-ai-mcp/pull/8',
    date: '2026-06',
    check: findMixedGroups,
  },
];
