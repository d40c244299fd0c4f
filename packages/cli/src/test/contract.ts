import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary, Fc } from './scalars.js';
import { arbitraryOf } from './arbitrary.js';
import { comparable, isDenied, isRateLimited, judgeInvalid, judgeValid, textOf } from './judge.js';
import type { CheckOutput, Outcome } from './judge.js';
import { mutationsOf } from './mutations.js';
import type { Operation } from './operations.js';
import { DefaultValidator } from 'toolfold';
import type { JsonSchemaObject } from 'toolfold';
import { namesIn } from '@toolfold/schema/internal';
import { hashName } from '@toolfold/profiles/internal';
import { toLine } from 'toolfold/internal';

export type CheckName = 'valid' | 'invalid' | 'idempotent' | 'repeated';
type Input = Readonly<Record<string, unknown>>;

export interface CheckedProperty {
  readonly name: CheckName;
  readonly runs: number;
  /** Number of calls that returned a result without an error. */
  readonly succeeded: number;
  /** Whether the caller lacks the permission to call the operation. */
  readonly isDenied: boolean;
  /** Why fewer inputs than requested were checked. */
  readonly note?: string | undefined;
  readonly failure?: Failure | undefined;
}

export interface Failure {
  readonly message: string;
  /** The smallest failing input that was found. */
  readonly input: Input;
  readonly shrinks: number;
}

interface ContractOptions {
  readonly fc: Fc;
  readonly seed: number;
  readonly runs: number;
  /** Milliseconds for each property, including the search for a smaller input. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly call: (operation: Operation, input: Input) => Promise<Outcome>;
  /** Whether the operation cannot be called any more. */
  readonly isExhausted: () => boolean;
  /** Read-only operations, used to observe effects. */
  readonly readers: readonly Operation[];
}

const validator = new DefaultValidator({ formats: true, engine: 'interpreted' });
/** Fewer runs, because each input takes three calls and several reads. */
const IDEMPOTENT_RUNS = 10;
const MAX_READERS = 3;

const untested = { name: 'valid', runs: 0, succeeded: 0, isDenied: false } as const;

export async function checkOperation(
  operation: Operation,
  options: ContractOptions,
): Promise<readonly CheckedProperty[]> {
  const { fc, seed, signal } = options;
  const isValid = compile(operation.inputSchema);
  if (typeof isValid === 'string')
    return [{ ...untested, failure: { message: isValid, input: {}, shrinks: 0 } }];
  const inputs = arbitraryOf(fc, operation.inputSchema).map(
    (value) => JSON.parse(JSON.stringify(value)) as Input,
  );
  const fits = (input: Input): boolean => isValid(input) === undefined;
  const samples = fc.sample(inputs, { numRuns: 200, seed });
  if (!samples.some(fits)) return [{ ...untested, note: 'no input was found that matches inputSchema' }];
  const checked: CheckedProperty[] = [];
  for (const property of [checkValid, checkInvalid, checkIdempotent]) {
    if (signal.aborted) throw signal.reason;
    const found = await property(operation, { ...options, inputs, fits });
    if (found) checked.push(found);
    if (found?.isDenied) break;
  }
  return checked;
}

interface PropertyOptions extends ContractOptions {
  readonly inputs: Arbitrary<Input>;
  readonly fits: (input: Input) => boolean;
}

async function checkValid(operation: Operation, options: PropertyOptions): Promise<CheckedProperty> {
  const { outputSchema } = operation;
  const output = outputSchema === undefined ? undefined : compile(outputSchema as JsonSchemaObject);
  const checkOutput = typeof output === 'string' ? (): string => output : output;
  return run('valid', operation, options, options.inputs, {
    isWanted: options.fits,
    check: async (input, call) => judgeValid(await call(input), checkOutput),
  });
}

async function checkInvalid(
  operation: Operation,
  options: PropertyOptions,
): Promise<CheckedProperty | undefined> {
  const { fc, inputs, fits } = options;
  const mutations = mutationsOf(operation.inputSchema, operation);
  if (mutations.length === 0) return undefined;
  const broken = fc.tuple(inputs, fc.constantFrom(...mutations)).map(([input, { apply }]) => apply(input));
  if (fc.sample(broken, { numRuns: 200, seed: options.seed }).every(fits)) return undefined;
  return run('invalid', operation, options, broken, {
    isWanted: (input) => !fits(input),
    check: async (input, call) => judgeInvalid(await call(input)),
  });
}

/** Calls three times: the second and third call must return equal results and leave the readable state unchanged. */
async function checkIdempotent(
  operation: Operation,
  options: PropertyOptions,
): Promise<CheckedProperty | undefined> {
  const { hints, idempotencyField } = operation;
  const hasKey = idempotencyField !== undefined;
  if (hints.readOnly === true || (hints.idempotent !== true && !hasKey)) return undefined;
  const runs = Math.min(options.runs, IDEMPOTENT_RUNS);
  return run('idempotent', operation, { ...options, runs }, options.inputs, {
    isWanted: (input) => options.fits(input) && (!hasKey || Object.hasOwn(input, idempotencyField)),
    check: async (input, call) => {
      const first = await call(input);
      const before = await observe(input, options);
      const second = await call(input);
      const after = await observe(input, options);
      if (hasKey && isSuccess(first) && comparable(first) !== comparable(second))
        return `Two calls with the same ${idempotencyField} have different results: ${summarize(first)} and ${summarize(second)}`;
      const third = await call(input);
      if (comparable(second) !== comparable(third))
        return `Two calls with the same input have different results: ${summarize(second)} and ${summarize(third)}`;
      const changed = findChanged(before, after);
      if (changed === undefined) return undefined;
      // The third call may have changed the state again. A result that also changes without a call contains the time.
      const now = await observe(input, options);
      await sleep(UNSTEADY_MS);
      const later = await observe(input, options);
      if (now.get(changed) === undefined || now.get(changed) !== later.get(changed)) return undefined;
      return `A second call with the same input changed the result of ${changed}.`;
    },
  });
}

/** Milliseconds after which a result that contains the time has changed. */
const UNSTEADY_MS = 1_100;

function findChanged(before: Observed, after: Observed): string | undefined {
  for (const [address, seen] of after)
    if (before.has(address) && before.get(address) !== seen) return address;
  return undefined;
}

function readersFor(input: Input, { readers }: ContractOptions): readonly Operation[] {
  return readers
    .filter(({ inputSchema }) => namesIn(inputSchema['required']).every((name) => Object.hasOwn(input, name)))
    .slice(0, MAX_READERS);
}

type Observed = ReadonlyMap<string, string>;

/** Calls the readers. Ignores errors, because they do not show the state. */
async function observe(input: Input, options: ContractOptions): Promise<Observed> {
  const seen = new Map<string, string>();
  for (const reader of readersFor(input, options)) {
    const known = namesIn(reader.inputSchema['required']).map((name) => [name, input[name]]);
    const outcome = await options.call(reader, Object.fromEntries(known) as Input);
    if (isSuccess(outcome)) seen.set(reader.address, comparable(outcome));
  }
  return seen;
}

function isSuccess(outcome: Outcome): boolean {
  return 'result' in outcome && outcome.result.isError !== true;
}

function summarize(outcome: Outcome): string {
  const text = 'error' in outcome ? outcome.error.message : textOf(outcome.result);
  return `"${toLine(text, 80)}"`;
}

interface Property {
  readonly isWanted: (input: Input) => boolean;
  /** Describes the problem, or returns `undefined`. */
  readonly check: (input: Input, call: (input: Input) => Promise<Outcome>) => Promise<string | undefined>;
}

/** Thrown to make fast-check search for a smaller input. */
class Problem extends Error {}

async function run(
  name: CheckName,
  operation: Operation,
  { fc, seed, runs, limitMs, signal, call, isExhausted }: PropertyOptions,
  inputs: Arbitrary<Input>,
  { isWanted, check }: Property,
): Promise<CheckedProperty> {
  let done = 0;
  let succeeded = 0;
  let limited = false;
  let denied = false;
  let hasFailed = false;
  let hasTimedOut = false;
  const counted = async (input: Input): Promise<Outcome> => {
    const outcome = await call(operation, input);
    if (isSuccess(outcome) && !hasFailed) succeeded++;
    if (isRateLimited(outcome)) limited = true;
    if (isDenied(outcome)) denied = true;
    if ('error' in outcome && outcome.error.isTimeout) hasTimedOut = true;
    return outcome;
  };
  const discard = (isUnwanted: boolean): void =>
    void (fc as { pre: (isWanted: boolean) => void }).pre(!isUnwanted);
  const property = fc.asyncProperty(inputs, async (input) => {
    discard(!isWanted(input));
    // Let the remaining inputs pass without a call, because nothing can be learned. Searching for a smaller input would take a
    // timeout each.
    if (signal.aborted || limited || denied || hasTimedOut || isExhausted()) return;
    if (!hasFailed) done++;
    const problem = await check(input, counted);
    if (problem === undefined || limited || denied || signal.aborted) return;
    hasFailed = true;
    throw new Problem(problem);
  });
  const details = await fc.check(property, {
    seed: seedOf(seed, operation.address, name),
    numRuns: runs,
    maxSkipsPerRun: 1_000,
    interruptAfterTimeLimit: limitMs,
    markInterruptAsFailure: false,
  });
  if (signal.aborted) throw signal.reason;
  const note = limited
    ? 'the server limits the rate of calls'
    : details.interrupted
      ? 'the time limit was reached'
      : undefined;
  const { failed, counterexample, errorInstance, numShrinks } = details;
  if (!failed || !counterexample) return { name, runs: done, succeeded, isDenied: denied, note };
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return {
    name,
    runs: done,
    succeeded,
    isDenied: denied,
    note,
    failure: { message, input: counterexample[0], shrinks: numShrinks },
  };
}

/** Returns the seed of a property, so that its inputs do not depend on which other operations are checked. */
function seedOf(seed: number, address: string, name: string): number {
  return (seed ^ Number.parseInt(hashName(`${address} ${name}`), 16)) | 0;
}

/** Compiles a schema to a function that describes what is wrong with a value. Returns a message if the schema is invalid. */
function compile(schema: JsonSchemaObject): CheckOutput | string {
  try {
    const validate = validator.compile(schema);
    return (value) => {
      const checked = validate(value);
      return checked.ok
        ? undefined
        : checked.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
    };
  } catch (error) {
    return `The schema cannot be used: ${(error as Error).message}`;
  }
}
