import type { Form, Perspective, ShownProfile } from '../../../../src/page-api.js';
import { decodePart, wellFormed } from '../../ui/well-formed.js';

/** Drops fields that are not set, so that the perspective holds only differences from the server. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

function readList(query: URLSearchParams, name: string): readonly string[] | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text === '' ? [] : text.split(',').map(decodePart);
}

/** Names may contain commas, so they are encoded one by one. */
function writeList(query: URLSearchParams, name: string, values: readonly string[] | undefined): void {
  if (values) query.set(name, values.map((value) => encodeURIComponent(wellFormed(value))).join(','));
}

function readJson(text: string | null): Readonly<Record<string, unknown>> | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The address was edited by hand, so ignore its claims.
    return undefined;
  }
}

/** Reads the perspective that a route describes. The server rejects unknown names. */
export function readPerspective(rest: string): Perspective {
  const query = new URLSearchParams(rest);
  const client = query.get('client');
  const hides = query.get('scopes-are');
  const caller = compact({
    clientId: query.get('id') ?? undefined,
    scopes: readList(query, 'scopes'),
    extra: readJson(query.get('extra')),
  });
  return compact<Perspective>({
    form: (query.get('form') as Form | null) ?? undefined,
    profile: (query.get('profile') as ShownProfile | null) ?? undefined,
    client:
      client === null ? undefined : compact({ name: client, version: query.get('version') ?? undefined }),
    caller: Object.keys(caller).length === 0 ? undefined : caller,
    hidesScopes: hides === null ? undefined : hides === 'hidden',
    toolsets: readList(query, 'toolsets'),
    tools: readList(query, 'tools'),
    excludeTools: readList(query, 'exclude'),
    readOnly: query.get('read-only') === 'yes' ? true : undefined,
  });
}

export function writePerspective(perspective: Perspective): string {
  const { form, profile, client, caller, hidesScopes, toolsets, tools, excludeTools, readOnly } = perspective;
  const query = new URLSearchParams();
  if (form) query.set('form', form);
  if (profile) query.set('profile', profile);
  if (client) query.set('client', client.name);
  if (client?.version !== undefined) query.set('version', client.version);
  if (caller?.clientId !== undefined) query.set('id', caller.clientId);
  writeList(query, 'scopes', caller?.scopes);
  if (caller?.extra) query.set('extra', JSON.stringify(caller.extra));
  if (hidesScopes !== undefined) query.set('scopes-are', hidesScopes ? 'hidden' : 'challenged');
  writeList(query, 'toolsets', toolsets);
  writeList(query, 'tools', tools);
  writeList(query, 'exclude', excludeTools);
  if (readOnly === true) query.set('read-only', 'yes');
  return query.toString();
}

/** Changes parts of a perspective. `undefined` removes a part. */
export function changePerspective(perspective: Perspective, part: Partial<Perspective>): Perspective {
  const next = compact({ ...perspective, ...part });
  const caller = next.caller && compact(next.caller);
  return compact({ ...next, caller: caller && Object.keys(caller).length > 0 ? caller : undefined });
}

/** Splits typed names at commas and white space. Empty text means no choice. */
export function splitNames(text: string): readonly string[] | undefined {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
}
