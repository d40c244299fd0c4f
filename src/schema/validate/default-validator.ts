import type { Tool } from '../../model/tool.js';
import { ErrInvalidTool, ErrUnsupportedSchema } from '../../errors.js';
import { copySchema } from '../check/copy-schema.js';
import { mayGenerateCode, withGeneratedCode } from './generated-code.js';
import { interpret } from './interpret-schema.js';
import { withDefaultLimits } from '../../values/json-schema.js';
import type { JsonSchema, SchemaLimits } from '../../values/json-schema.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { createSizeRule } from '../probe/size-rule.js';
import type { SchemaValidator } from './schema-validator.js';
import { boundStack } from './validation-result.js';
import type { Validate, ValidationResult } from './validation-result.js';

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
