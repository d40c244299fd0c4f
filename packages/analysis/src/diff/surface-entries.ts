import type { JsonSchemaObject } from 'toolfold';
import { canonicalJson, isJsonObject } from '@toolfold/schema/internal';
import type { OpenTarget } from '../target/opened-target.js';
import { toLine } from 'toolfold/internal';
import type { Change } from './change.js';
import { diffWords } from './word-diff.js';

const entryKinds = ['prompts', 'resources', 'templates'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** A prompt, a resource or a resource template, as a running server lists it. */
interface SurfaceEntry {
  /** Name of a prompt or URI of a resource. Has the prefix `server/` if the lockfile covers several servers. */
  readonly id: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** A missing kind was not read, so it is not compared. */
export type SurfaceEntries = Readonly<Partial<Record<EntryKind, readonly SurfaceEntry[]>>>;

export function kindsIn(entries: SurfaceEntries = {}): readonly EntryKind[] {
  return entryKinds.filter((kind) => entries[kind] !== undefined);
}

export async function readEntries(
  { listOthers }: Pick<OpenTarget, 'listOthers'>,
  kinds: readonly EntryKind[],
): Promise<SurfaceEntries> {
  if (kinds.length === 0) return {};
  const others = await listOthers();
  return Object.fromEntries(kinds.map((kind) => [kind, toEntries(kind, others[kind])]));
}

/** Converts listed entries to the format of a lockfile. Skips entries without an id, because clients cannot use them. */
export function toEntries(kind: EntryKind, listed: readonly unknown[], server?: string): SurfaceEntry[] {
  const entries = listed.flatMap((definition) => {
    const id = idOf(kind, definition);
    if (id === undefined) return [];
    const plain = JSON.parse(canonicalJson(definition)) as Record<string, unknown>;
    return [{ id: server === undefined ? id : `${server}/${id}`, definition: plain }];
  });
  return entries.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
}

export function idOf(kind: EntryKind, definition: unknown): string | undefined {
  if (!isJsonObject(definition)) return undefined;
  const id = definition[{ prompts: 'name', resources: 'uri', templates: 'uriTemplate' }[kind]];
  return typeof id === 'string' ? id : undefined;
}

export function withServer(entries: SurfaceEntries, server: string): SurfaceEntries {
  return Object.fromEntries(
    kindsIn(entries).map((kind) => [
      kind,
      entries[kind]?.map(({ id, definition }) => ({ id: `${server}/${id}`, definition })),
    ]),
  );
}

export function joinEntries(all: readonly SurfaceEntries[], kinds: readonly EntryKind[]): SurfaceEntries {
  return Object.fromEntries(kinds.map((kind) => [kind, all.flatMap((entries) => entries[kind] ?? [])]));
}

/** Reads the entries of a lockfile. Returns `undefined` if they are malformed. */
export function parseEntries(read: Readonly<Record<string, unknown>>): SurfaceEntries | undefined {
  const entries: Partial<Record<EntryKind, SurfaceEntry[]>> = {};
  for (const kind of entryKinds) {
    const list = read[kind];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return undefined;
    if (
      !list.every(
        (entry) =>
          isJsonObject(entry) && typeof entry['id'] === 'string' && isJsonObject(entry['definition']),
      )
    )
      return undefined;
    entries[kind] = list as SurfaceEntry[];
  }
  return entries;
}

const nouns: Readonly<Record<EntryKind, string>> = {
  prompts: 'prompt',
  resources: 'resource',
  templates: 'resource template',
};

export function compareEntries(before: SurfaceEntries = {}, after: SurfaceEntries = {}): Change[] {
  return entryKinds.flatMap((kind) => {
    const [old, now] = [before[kind], after[kind]];
    if (!old || !now) return [];
    const noun = nouns[kind];
    const known = new Map(old.map((entry) => [entry.id, entry.definition]));
    const left = new Set(now.map(({ id }) => id));
    const changes = now.flatMap(({ id, definition }): Change[] => {
      const reviewed = known.get(id);
      if (!reviewed)
        return [
          { address: id, severity: 'compatible', kind: 'entry-added', message: `The ${noun} was added.` },
        ];
      if (canonicalJson(reviewed) === canonicalJson(definition)) return [];
      const words = diffWords(textOf(reviewed), textOf(definition));
      return [
        { address: id, severity: 'note', kind: 'entry-changed', message: `The ${noun} changed.`, words },
      ];
    });
    const removed = old
      .filter(({ id }) => !left.has(id))
      .map(({ id }): Change => ({
        address: id,
        severity: 'breaking',
        kind: 'entry-removed',
        message: `The ${noun} was removed.`,
      }));
    return [...changes, ...removed];
  });
}

function textOf(definition: Readonly<Record<string, unknown>>): string {
  return toLine(canonicalJson(definition));
}

/** Presents the texts of entries as tools without arguments, so that the lint rules about texts can check them. */
export function textsOfEntries(entries: SurfaceEntries = {}): readonly {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject;
}[] {
  return kindsIn(entries).flatMap((kind) =>
    (entries[kind] ?? []).map(({ id, definition }) => {
      const { title, description, arguments: args } = definition;
      const fields = (Array.isArray(args) ? args : []).filter(isJsonObject);
      return {
        name: id,
        ...(typeof title === 'string' ? { title } : {}),
        ...(typeof description === 'string' ? { description } : {}),
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(
            fields.map((field) => [
              String(field['name']),
              { description: String(field['description'] ?? '') },
            ]),
          ),
        },
      };
    }),
  );
}
