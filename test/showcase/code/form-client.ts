import { readAnswer } from '../bookkeeper.js';
import type { ActionCaller, CodeTask, Day, Json, RunCode, Step } from './code-task.js';
import type { MeteredClient } from './metered-client.js';
import { unseenNames } from './unseen-names.js';

export const codeTaskForms = ['grouped', 'flat', 'search', 'code'] as const;
export type CodeTaskForm = (typeof codeTaskForms)[number];

/** A tool that the model has found. */
interface Found {
  /** The name with which the form describes and calls it: an address, or a path of code. */
  readonly name: string;
  /** Its arguments, and in the form code its result. */
  readonly signature: string;
  readonly kind: 'read' | 'write';
}

/** Calls actions in a form without code. In the search form, the client searches for the actions of the task first. */
export async function openCaller(
  client: MeteredClient,
  form: Exclude<CodeTaskForm, 'code'>,
  task: CodeTask,
): Promise<ActionCaller> {
  const found = form === 'search' ? await learnTools(client, form, task.steps) : new Map<string, Found>();
  const toCall = (address: string, args: Json) => {
    assertKnown(client, task, address, args);
    const [tool = '', action = ''] = address.split('/');
    if (form === 'grouped') return { name: tool, args: { action, ...args } };
    if (form === 'flat') return { name: `${tool}_${action.replaceAll('.', '_')}`, args };
    return { name: `call_${found.get(address)?.kind}_tool`, args: { address, arguments: args } };
  };
  const callAll = async <T>(calls: readonly (readonly [string, Json?])[]): Promise<T[]> => {
    const answers = await client.send(calls.map(([address, args = {}]) => toCall(address, args)));
    return answers.map(({ text }) => readAnswer(text) as T);
  };
  return {
    callAll,
    call: async <T>(address: string, args: Json = {}) => (await callAll<T>([[address, args]]))[0] as T,
  };
}

/** Searches for the functions of the task, and runs programs that use only names that the model has read. */
export async function openRunner(client: MeteredClient, task: CodeTask, day: Day): Promise<RunCode> {
  await learnTools(client, 'code', task.steps);
  return async <T>(code: string) => {
    const unseen = unseenNames(code, `${task.question(day)}\n${client.seen()}`);
    if (unseen.length > 0)
      throw new Error(`${task.title}: the model has not read about ${unseen.join(', ')}.`);
    const [answer] = await client.send([{ name: 'run_code', args: { code } }]);
    return readAnswer(answer?.text ?? '') as T;
  };
}

/**
 * Searches once for all steps, again for those that were not found, and describes the tools whose signature does not show an
 * argument of the task.
 */
async function learnTools(
  client: MeteredClient,
  form: 'search' | 'code',
  steps: readonly Step[],
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const search = async (args: Json): Promise<void> => {
    const [answer] = await client.send([{ name: 'search_tools', args }]);
    const { tools } = (answer?.structured ?? { tools: [] }) as { tools: Row[] };
    for (const row of tools) {
      const each = toFound(row);
      const step = steps.find(({ address }) => each.name === nameOf(form, address));
      // Only the first results of a query have a signature.
      if (step && (found.get(step.address)?.signature ?? CUT) === CUT) found.set(step.address, each);
    }
  };
  const queries = steps.map(({ query }) => query);
  await search(queries.length > 1 ? { queries } : { query: queries[0] });
  for (const { query, address } of steps) {
    if (!found.has(address)) await search({ query });
    if (!found.has(address)) throw new Error(`"${query}" does not find ${address}.`);
  }
  const unclear = steps.filter(({ address, args }) => !shows(found.get(address)?.signature ?? CUT, args));
  if (unclear.length > 0) {
    const names = unclear.map(({ address }) => nameOf(form, address));
    const args = form === 'code' ? { tools: names } : { addresses: names };
    await client.send([{ name: 'describe_tools', args }]);
  }
  return found;
}

/** A result of `search_tools`. In the form code, the path is a part of the signature. */
interface Row {
  readonly address?: string;
  readonly signature: string;
  readonly kind: 'read' | 'write';
}

const CUT = '(…)';

function toFound({ address, signature, kind }: Row): Found {
  if (address !== undefined) return { name: address, signature: signature === '…' ? CUT : signature, kind };
  const at = signature.indexOf('(');
  return { name: signature.slice(0, at), signature: signature.slice(at), kind };
}

function nameOf(form: 'search' | 'code', address: string): string {
  return form === 'code' ? `tools.${address.replace('/', '.')}` : address;
}

/** Whether a signature shows all required arguments, and these ones with their types. */
function shows(signature: string, names: readonly string[]): boolean {
  const [input = ''] = signature.split('):');
  if (input.startsWith('(…') || /: …|more required…/.test(input)) return false;
  return names.every((name) => {
    const [, type] = new RegExp(`[({ ]${name}(\\??: [^,]*|=[^,]*)`).exec(input) ?? [];
    return type !== undefined && !type.includes('…');
  });
}

/** Fails if the script uses something that a model in its place could not know. */
function assertKnown(client: MeteredClient, { title, steps }: CodeTask, address: string, args: Json): void {
  const step = steps.find((each) => each.address === address);
  if (!step) throw new Error(`${title}: ${address} is not among the steps.`);
  for (const name of Object.keys(args)) {
    if (!step.args.includes(name))
      throw new Error(`${title}: ${address} has no argument ${name} in its step.`);
    if (!client.seen().includes(name)) throw new Error(`${title}: the model has not read about ${name}.`);
  }
}
