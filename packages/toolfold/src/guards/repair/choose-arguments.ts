import type { MaybeAsyncValidate, SchemaIssue } from '@toolfold/schema';
import { repairJson } from './json-repair.js';
import type { RepairPlan } from './json-repair.js';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a call, before and after they are read by the tool list that the client got. */
export interface Reading {
  readonly sent: Arguments;
  /** The arguments with the author's names and values, wherever the list describes how to restore them. */
  readonly read: Arguments;
  /** Also reads JSON text that the list does not describe. Left out if the list changed nothing, so that `read` is the only form. */
  readonly readMore?: (() => Arguments) | undefined;
}

/** The fields of a call that are needed to read its arguments. */
interface Sent {
  readonly compiled: {
    readonly schema: {
      readonly isCustom: boolean;
      readonly repairs: RepairPlan | undefined;
      readonly validate: MaybeAsyncValidate;
    };
  };
  readonly reading: Reading | undefined;
  readonly sent: Arguments;
  repairs: readonly string[];
}

/** Candidates for the arguments of a call. */
interface Forms {
  readonly first: Arguments;
  /** Tried in this order if the schema rejects the first. */
  readonly others: readonly Arguments[];
  /** The places at which JSON text was parsed in the first of the others. */
  readonly repairs: readonly string[];
}

/** Lists the candidates for the arguments of a call. Returns `undefined` if there is only one. */
export function readForms({ compiled: { schema }, reading, sent }: Sent): Forms | undefined {
  // A custom validator gets one form: that which the list of the client describes.
  if (schema.isCustom) return undefined;
  const plan = schema.repairs;
  const { input: repaired, repairs } = repairJson(sent, plan);
  if (!reading && repaired === sent) return undefined;
  // The discriminator and hints have been removed from `sent`, and `read` still has them.
  const remove = (args: Arguments): Arguments =>
    Object.fromEntries(
      Object.entries(args).filter(
        ([name]) => Object.hasOwn(sent, name) || !Object.hasOwn(reading?.read ?? {}, name),
      ),
    );
  const asSent = reading && reading.sent !== reading.read ? remove(reading.sent) : sent;
  const more = reading?.readMore?.() ?? sent;
  const others = [
    repaired,
    ...(asSent === sent ? [] : [repairJson(asSent, plan).input]),
    ...(more === reading?.read || more === sent ? [] : [repairJson(remove(more), plan).input]),
  ].filter((form) => form !== sent);
  return others.length === 0 ? undefined : { first: sent, others, repairs };
}

/**
 * Resolves to the first candidate that the schema accepts. For each candidate, only the rejected values are replaced at first, so that
 * accepted values do not change. If the schema rejects all candidates, the repaired one is used, because its errors help a model most.
 */
export async function chooseArguments(
  call: Sent,
  { first, others, repairs }: Forms,
  fill: (args: Arguments) => Arguments,
): Promise<Arguments> {
  const { schema } = call.compiled;
  const checked = await schema.validate(fill(first));
  if (checked.ok) return fill(first);
  const { issues } = checked;
  const [repaired] = repairs.length > 0 ? others : [];
  for (const form of others) {
    const mixed = issues.reduce((args, { path }) => takeAt(args, form, path) as Arguments, first);
    for (const tried of mixed === first ? [form] : [mixed, form]) {
      // Yield to the event loop, because a validation may take long and other calls must not wait for all attempts.
      await new Promise<void>((resolve) => void setTimeout(resolve));
      if (!(await schema.validate(fill(tried))).ok) continue;
      if (form === repaired)
        call.repairs = tried === form ? repairs : repairs.filter((at) => isAt(at, issues));
      return fill(tried);
    }
  }
  if (repaired) call.repairs = repairs;
  return fill(repaired ?? first);
}

/** Replaces the part of a value at a path by that of another candidate. Copies only the containers along the path. */
function takeAt(value: unknown, form: unknown, path: SchemaIssue['path']): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isContainer(form) || !isContainer(value)) return form;
  // An assignment to `__proto__` would set the prototype.
  if (key === '__proto__' || !Object.hasOwn(value, key) || !Object.hasOwn(form, key)) return value;
  const taken = takeAt(value[key], form[key], rest);
  if (taken === value[key]) return value;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  (copy as Record<string | number, unknown>)[key] = taken;
  return copy;
}

function isContainer(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isAt(place: string, issues: readonly SchemaIssue[]): boolean {
  return issues.some(({ path }) => `${place}.`.startsWith(`${path.join('.')}.`));
}
