import type { Check, generateValidator } from './generate-validator.js';
import type { NormalSchema } from '../check/normal-schema.js';
import type { Validate } from './validation-result.js';

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
