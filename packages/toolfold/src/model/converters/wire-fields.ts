import { ErrInvalidSchema } from '@toolfold/schema/errors';
import type { ErrorOptions, ToolfoldError } from '@toolfold/schema/errors';
import type { Annotations, Role } from '../../protocol/mcp-types.js';
import type { Icon } from '@toolfold/profiles';
import { isJsonObject } from '@toolfold/schema/internal';
import { defined } from '../../values/defined.js';
import type { BaseModelInit } from '../base.js';

type ErrorClass = new (message: string, options?: ErrorOptions) => ToolfoldError;
type JsonObject = Record<string, unknown>;

/**
 * Reads the fields of an untrusted JSON object. An absent field is `undefined`. A field of the wrong type throws the given error,
 * which names the item and the field.
 */
export class WireFields {
  readonly #object: JsonObject;
  readonly #what: string;
  readonly #ErrorClass: ErrorClass;

  constructor(source: unknown, what: string, ErrorClass: ErrorClass) {
    this.#ErrorClass = ErrorClass;
    this.#what = what;
    if (!isJsonObject(source)) throw this.#error('must be a JSON object');
    this.#object = source;
    const name = this.#own('name');
    if (typeof name === 'string') this.#what = `${what} "${name}"`;
  }

  required<T>(value: T | undefined, key: string): T {
    if (value === undefined) throw this.#error(`has no "${key}"`);
    return value;
  }

  string(key: string): string | undefined {
    return this.#typed(key, 'a string', (value): value is string => typeof value === 'string');
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  number(key: string): number | undefined {
    return this.#typed(key, 'a number', (value): value is number => typeof value === 'number');
  }

  object(key: string): JsonObject | undefined {
    return this.#typed(key, 'an object', isJsonObject);
  }

  /** A JSON Schema. Any other value, such as unparsed text, throws `ErrInvalidSchema` instead of the given error. */
  schema(key: string): JsonObject | undefined {
    const value = this.#own(key);
    if (value === undefined || isJsonObject(value)) return value;
    const hint = typeof value === 'string' ? { hint: 'Parse the text of the schema first.' } : {};
    throw new ErrInvalidSchema(`The ${this.#what} has a "${key}" that is not an object.`, hint);
  }

  list(key: string): unknown[] | undefined {
    return this.#typed(key, 'an array', Array.isArray);
  }

  strings(key: string): string[] | undefined {
    return this.#typed(
      key,
      'an array of strings',
      (value): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    );
  }

  oneOf<const T extends string>(key: string, choices: readonly T[]): T | undefined {
    return this.#typed(key, `one of ${choices.join(', ')}`, (value): value is T =>
      choices.includes(value as T),
    );
  }

  nested(key: string): WireFields | undefined {
    const value = this.object(key);
    return value && new WireFields(value, `"${key}" of ${this.#what}`, this.#ErrorClass);
  }

  nestedList(key: string): WireFields[] | undefined {
    return this.list(key)?.map(
      (item, index) => new WireFields(item, `"${key}[${index}]" of ${this.#what}`, this.#ErrorClass),
    );
  }

  /** Reads the fields that every item has. */
  base(): BaseModelInit {
    return {
      name: this.required(this.string('name'), 'name'),
      title: this.string('title'),
      description: this.string('description'),
      icons: this.icons(),
      meta: this.object('_meta'),
    };
  }

  icons(): Icon[] | undefined {
    return this.nestedList('icons')?.map((icon) =>
      defined<Icon>({
        src: icon.required(icon.string('src'), 'src'),
        mimeType: icon.string('mimeType'),
        sizes: icon.strings('sizes'),
        theme: icon.oneOf('theme', ['light', 'dark']),
      }),
    );
  }

  annotations(): Annotations | undefined {
    const fields = this.nested('annotations');
    return (
      fields &&
      defined<Annotations>({
        audience:
          fields.list('audience') && fields.#typed('audience', 'an array of "user" and "assistant"', isRoles),
        priority: fields.number('priority'),
        lastModified: fields.string('lastModified'),
      })
    );
  }

  #typed<T>(key: string, expected: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.#own(key);
    if (value === undefined) return undefined;
    if (!is(value)) throw this.#error(`has a "${key}" that is not ${expected}`);
    return value;
  }

  #own(key: string): unknown {
    return Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
  }

  #error(problem: string): ToolfoldError {
    return new this.#ErrorClass(`The ${this.#what} ${problem}.`);
  }
}

function isRoles(value: unknown): value is Role[] {
  return Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant');
}
