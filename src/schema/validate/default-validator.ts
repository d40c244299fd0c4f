import type { Tool } from '../../model/tool.js';
import { ErrInvalidTool, ErrUnsupportedSchema } from '../../errors.js';
import { copySchema } from '../check/copy-schema.js';
import type { Check, generateValidator } from './generate-validator.js';
import { interpret } from './interpret-schema.js';
import { withDefaultLimits } from '../../values/json-schema.js';
import type { JsonSchema, SchemaLimits } from '../../values/json-schema.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { createSizeRule } from '../check/size-rule.js';
import type { SchemaValidator, Validate, ValidationResult } from './schema-validator.js';
import { boundStack } from './schema-validator.js';

/** How a `DefaultValidator` reads schemas. */
export interface DefaultValidatorOptions {
  /** Whether `format` is checked rather than only noted; default false. */
  formats?: boolean;
  /** Bounds on each schema; what is not given keeps its default. */
  limits?: Partial<SchemaLimits>;
  /**
   * An `interpreted` walk, or code `generated` as soon as what generates it is loaded. By default the walk, and code
   * for schemas that are used a lot, where the runtime allows it.
   */
  engine?: 'generated' | 'interpreted';
}

/** Together they take about as long as generating code does. */
const WALKS = 100;

/** JSON Schema 2020-12 and draft-07, each by its own rules, without touching anything but the schema. */
export class DefaultValidator implements SchemaValidator {
  readonly #formats: boolean;
  readonly #limits: SchemaLimits;
  readonly #build: (schema: NormalSchema) => Validate;
  readonly #compiled = new WeakMap<object, Validate>();

  constructor({ formats = false, limits, engine }: DefaultValidatorOptions = {}) {
    this.#formats = formats;
    this.#limits = withDefaultLimits(limits);
    if (engine === 'generated' && !mayGenerateCode()) {
      throw new ErrUnsupportedSchema('This runtime forbids generated code.', {
        hint: 'Leave out the engine option, or set it to "interpreted".',
      });
    }
    const { steps } = this.#limits;
    const walks = engine === 'generated' ? 0 : WALKS;
    this.#build = (schema) => {
      const isSmall = createSizeRule(schema, steps);
      const walk = interpret(schema, steps, isSmall);
      return engine === 'interpreted' ? walk : withGeneratedCode(schema, walk, { formats, walks, isSmall });
    };
  }

  compile(schema: JsonSchema): Validate {
    const copy = copySchema(schema, this.#limits);
    return boundStack(this.#build(normalizeSchema(copy, { limits: this.#limits, formats: this.#formats })));
  }

  validateInput(tool: Tool, input: unknown): ValidationResult {
    return this.#validate(tool, 'inputSchema', input);
  }

  validateOutput(tool: Tool, output: unknown): ValidationResult {
    if (tool.outputSchema === undefined) return { ok: true, value: output };
    return this.#validate(tool, 'outputSchema', output);
  }

  /** Compiles at the first use of a schema object and then remembers it. */
  #validate(tool: Tool, key: 'inputSchema' | 'outputSchema', value: unknown): ValidationResult {
    const schema = tool[key];
    if (schema === undefined || schema === null || typeof schema === 'boolean')
      throw new ErrInvalidTool(`Tool "${tool.name}" has no ${key}.`, { details: { name: tool.name } });
    // Text, for example, which `compile` reports as an invalid schema.
    if (typeof schema !== 'object') return this.compile(schema)(value);
    let validate = this.#compiled.get(schema);
    if (!validate) this.#compiled.set(schema, (validate = this.compile(schema)));
    return validate(value);
  }
}

let generate: typeof generateValidator | undefined;
let loading: Promise<void> | undefined;

/**
 * Ajv takes as long to load as a server takes to start, so it is not loaded before something gains by it. Where it
 * cannot be, schemas go on being walked, which gives the same answers.
 */
export function loadGenerator(): Promise<void> {
  loading ??= mayGenerateCode()
    ? import('./generate-validator.js').then(
        (module) => {
          generate = module.generateValidator;
        },
        () => undefined,
      )
    : Promise.resolve();
  return loading;
}

export function mayGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line no-new-func -- the question is whether this is allowed
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/**
 * Walks the first values and generates code after so many of them. Generated code accepts values that are small; it
 * takes as long as it takes. A value that it does not accept is walked, which also tells what is wrong.
 */
export function withGeneratedCode(
  schema: NormalSchema,
  walk: Validate,
  { formats, walks, isSmall }: { formats: boolean; walks: number; isSmall: (value: unknown) => boolean },
): Validate {
  let walksLeft = walks;
  const warm: Check = () => {
    if (walksLeft-- > 0) return false;
    if (generate) check = generate(schema, formats) ?? (() => false);
    else void loadGenerator();
    return false;
  };
  let check = warm;
  if (walks === 0) warm(undefined);
  return (value) => (isSmall(value) && check(value) ? { ok: true, value } : walk(value));
}
