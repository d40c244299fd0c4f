import { ErrInvalidTool, ErrUnsupportedSchema } from '../errors.js';
import { copySchema } from '../check/copy-schema.js';
import type { Check, generateValidator } from './generate-validator.js';
import { interpret } from './interpret-schema.js';
import { withDefaultLimits } from '../values/json-schema.js';
import { anything, assertOptions, flag, oneOf } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { JsonSchema, SchemaLimits } from '../values/json-schema.js';
import { normalizeSchema, createSizeRule } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import type { SchemaValidator, Validate, ValidatedTool, ValidationResult } from './schema-validator.js';
import { boundStack } from '../probe/fail-fast.js';

/** Options of `DefaultValidator`. */
export interface DefaultValidatorOptions {
  /** Whether to check `format`. Default: false. */
  formats?: boolean;
  /** Limits on each schema. */
  limits?: Partial<SchemaLimits>;
  /**
   * `interpreted` walks the schema; `generated` compiles it to code as soon as the generator is loaded. Default: walks, and
   * compiles schemas that are used often if the runtime allows it.
   */
  engine?: 'generated' | 'interpreted';
}

const rules: Rules<keyof DefaultValidatorOptions> = {
  formats: flag,
  // Checked where the defaults are filled in.
  limits: anything,
  engine: oneOf('generated', 'interpreted'),
};

/** Number of validations before code is generated. Together they take about as long as generating the code. */
const WALKS = 100;

/** Validates JSON Schema 2020-12 and draft-07. Never fetches anything. */
export class DefaultValidator implements SchemaValidator {
  readonly #formats: boolean;
  readonly #limits: SchemaLimits;
  readonly #build: (schema: NormalSchema) => Validate;
  readonly #compiled = new WeakMap<object, Validate>();

  constructor(options: DefaultValidatorOptions = {}) {
    assertOptions('DefaultValidator', options, rules);
    const { formats = false, limits, engine } = options;
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

  validateInput(tool: ValidatedTool, input: unknown): ValidationResult {
    return this.#validate(tool, 'inputSchema', input);
  }

  validateOutput(tool: ValidatedTool, output: unknown): ValidationResult {
    if (tool.outputSchema === undefined) return { ok: true, value: output };
    return this.#validate(tool, 'outputSchema', output);
  }

  /** Compiles a schema on first use and caches the result by schema object. */
  #validate(tool: ValidatedTool, key: 'inputSchema' | 'outputSchema', value: unknown): ValidationResult {
    const schema = tool[key];
    if (schema === undefined || schema === null || typeof schema === 'boolean')
      throw new ErrInvalidTool(`Tool "${tool.name}" has no ${key}.`, { details: { name: tool.name } });
    // `compile` reports schemas that are invalid, such as text.
    if (typeof schema !== 'object') return this.compile(schema)(value);
    let validate = this.#compiled.get(schema);
    if (!validate) this.#compiled.set(schema, (validate = this.compile(schema)));
    return validate(value);
  }
}

let generate: typeof generateValidator | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads Ajv, once. It takes as long to load as a server takes to start, so it is loaded only when a schema is used often. If it
 * cannot be loaded, schemas are interpreted, with the same results.
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

function mayGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line no-new-func -- the question is whether this is allowed
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/**
 * Interprets the first values, then uses generated code. Because the time of generated code is unlimited, it only accepts small
 * values. A value that it rejects is interpreted, which also finds the issues.
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
