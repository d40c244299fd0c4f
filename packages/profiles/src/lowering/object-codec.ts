import { isJsonObject } from '@toolfold/schema/internal';
import type { Codec, DecodeWork } from './codecs.js';
import { codecId, MAX_VALUE_DEPTH, unionCodec } from './codecs.js';

/** How the fields of an object are lowered. All names are authored names unless noted. */
interface ObjectParts {
  /** The properties of the lowered schema. */
  readonly declared: ReadonlySet<string>;
  /** New names by authored name. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, Codec>;
  /** The codec of undeclared fields. */
  readonly others?: Codec | undefined;
  /**
   * Properties that only one of several alternatives declares. A value that does not fit the lowered property is sent under the
   * second name, as an undeclared field.
   */
  readonly guarded: ReadonlyMap<
    string,
    { readonly name: string; readonly fits: (value: unknown) => boolean }
  >;
  readonly strict?: StrictParts | undefined;
}

/** In strict mode, an object has all of its properties and no others. */
export interface StrictParts {
  /** Properties that are null if the author's object lacks them. */
  readonly optional: ReadonlySet<string>;
  /** The property with the remaining fields as JSON text; `undefined` if there are none. */
  readonly rest: string | undefined;
}

const textOfObject = unionCodec({ texts: new Set(['object']), lenient: new Set() }) as Codec;

/** Returns `undefined` if the object keeps its form. */
export function objectCodec(parts: ObjectParts): Codec | undefined {
  const { declared, renamed, fields, others, guarded, strict } = parts;
  if (renamed.size === 0 && fields.size === 0 && !others && guarded.size === 0 && !strict) return undefined;
  /** The authored names by the names that this codec creates. */
  const authored = new Map<string, string>();
  for (const [name, newName] of renamed) authored.set(newName, name);
  for (const [name, { name: newName }] of guarded) authored.set(newName, name);
  const codecOf = (name: string): Codec | undefined => (declared.has(name) ? fields.get(name) : others);

  const encode = (value: unknown, depth: number): unknown => {
    if (!isJsonObject(value) || depth >= MAX_VALUE_DEPTH) return value;
    const entries: [string, unknown][] = [];
    const rest: [string, unknown][] = [];
    for (const name of Object.keys(value)) {
      const field = value[name];
      if (field === undefined) continue;
      const isGuarded = declared.has(name) && guarded.get(name)?.fits(field) === false;
      if (!isGuarded && declared.has(name)) {
        const codec = fields.get(name);
        entries.push([renamed.get(name) ?? name, codec ? codec.encode(field, depth + 1) : field]);
      } else if (strict?.rest !== undefined) rest.push([name, field]);
      else {
        const newName = isGuarded ? (guarded.get(name)?.name ?? name) : escapeName(name, authored);
        entries.push([newName, others ? others.encode(field, depth + 1) : field]);
      }
    }
    if (strict) {
      for (const name of strict.optional)
        if (!Object.hasOwn(value, name) || value[name] === undefined || isSetAside(name, rest))
          entries.push([renamed.get(name) ?? name, null]);
      if (strict.rest !== undefined)
        entries.push([strict.rest, rest.length === 0 ? null : JSON.stringify(Object.fromEntries(rest))]);
    }
    return Object.fromEntries(entries);
  };

  const decode = (value: unknown, work: DecodeWork): unknown => {
    if (!isJsonObject(value) || work.depth >= MAX_VALUE_DEPTH) return value;
    work.depth++;
    const entries = new Map<string, unknown>();
    let isChanged = false;
    for (const sent of Object.keys(value)) {
      const field = value[sent];
      if (strict && sent === strict.rest) {
        isChanged = true;
        continue;
      }
      let name = authored.get(sent) ?? unescapeName(sent, authored);
      // The client sent the field under both names. Validation reports the second one.
      if (
        name !== sent &&
        Object.hasOwn(value, name) &&
        !authored.has(name) &&
        declared.has(name) &&
        renamed.has(name)
      )
        name = sent;
      if (strict?.optional.has(name) && field === null) {
        isChanged = true;
        continue;
      }
      const isAside = guarded.get(name)?.name === sent;
      const codec = isAside ? others : codecOf(name);
      const decoded = codec ? codec.decode(field, work) : field;
      if (name !== sent || decoded !== field) isChanged = true;
      entries.set(name, decoded);
    }
    if (strict?.rest !== undefined && Object.hasOwn(value, strict.rest)) {
      const rest = textOfObject.decode(value[strict.rest], work);
      if (isJsonObject(rest)) for (const name of Object.keys(rest)) entries.set(name, rest[name]);
      else if (rest !== null) entries.set(strict.rest, rest);
    }
    work.depth--;
    return isChanged ? Object.fromEntries(entries) : value;
  };
  return { id: idOf(parts), encode, decode };
}

function isSetAside(name: string, rest: readonly [string, unknown][]): boolean {
  return rest.some(([key]) => key === name);
}

function idOf({ declared, renamed, fields, others, guarded, strict }: ObjectParts): string {
  return codecId(
    // The codec treats undeclared fields differently in these cases only.
    strict || others ? [...declared].toSorted() : undefined,
    [...renamed].toSorted(),
    [...fields].map(([name, { id }]) => [name, id]).toSorted(),
    others?.id,
    [...guarded.keys()].toSorted(),
    strict && [[...strict.optional].toSorted(), strict.rest],
  );
}

/** Removes the underscores at the end of a name. */
export function stem(name: string): string {
  let end = name.length;
  while (end > 0 && name.charAt(end - 1) === '_') end--;
  return name.slice(0, end);
}

/** An undeclared field may have a name that a codec creates. It then gets an underscore, which decoding removes. */
function escapeName(name: string, made: ReadonlyMap<string, string>): string {
  return made.size > 0 && made.has(stem(name)) ? `${name}_` : name;
}

function unescapeName(name: string, made: ReadonlyMap<string, string>): string {
  return made.size > 0 && name.endsWith('_') && made.has(stem(name)) ? name.slice(0, -1) : name;
}
