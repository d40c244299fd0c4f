import { clip, isJsonObject } from '@toolfold/schema/internal';
import { CommandError } from '@toolfold/analysis/internal';
import { readJson } from '../read-json.js';

export interface Question {
  /** JSON pointer into the file, such as `/queries/3`. */
  readonly pointer: string;
  readonly query: string;
  /** The queries of a task with several steps. Empty for a single query. */
  readonly steps: readonly string[];
  /** The needed tools, each with its acceptable addresses. Empty if no tool answers the question. */
  readonly needed: readonly (readonly string[])[];
}

const MAX_QUESTIONS = 100_000;
const MAX_QUERY = 2_000;
const MAX_STEPS = 20;
const MAX_TOOLS = 100;
const MAX_PROBLEMS = 10;

const FORMAT = '{"queries": [{"query": "…", "tools": ["address"]}]}';

/** Reads a file of questions. The error lists every mistake with its place. */
export function readQuestions(file: string): readonly Question[] {
  const value = readJson(file, `Write your questions into it: ${FORMAT}`);
  const list = Array.isArray(value)
    ? (value as unknown[])
    : isJsonObject(value)
      ? value['queries']
      : undefined;
  if (!Array.isArray(list)) throw new CommandError(`${file} has no list of questions. Write ${FORMAT}.`);
  if (list.length === 0) throw new CommandError(`${file} has no questions. Write ${FORMAT}.`);
  if (list.length > MAX_QUESTIONS)
    throw new CommandError(`${file} has ${list.length} questions. At most ${MAX_QUESTIONS} are read.`);
  const prefix = Array.isArray(value) ? '' : '/queries';
  const problems: string[] = [];
  const isAnyEnough = readMatch(value, '', false, problems);
  const questions = list.map((item, at) => readQuestion(item, `${prefix}/${at}`, isAnyEnough, problems));
  if (problems.length > 0) throw new CommandError(describeProblems(file, problems));
  return questions;
}

function describeProblems(file: string, problems: readonly string[]): string {
  const lines = problems.slice(0, MAX_PROBLEMS).map((problem) => `\n  ${problem}`);
  const more = problems.length - lines.length;
  return `${file} has mistakes:${lines.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}

/** Whether one of the needed tools is enough. */
function readMatch(value: unknown, pointer: string, fallback: boolean, problems: string[]): boolean {
  const match = isJsonObject(value) ? value['match'] : undefined;
  if (match === undefined) return fallback;
  if (match !== 'any' && match !== 'all')
    problems.push(`${pointer}/match must be "any" or "all", not ${show(match)}.`);
  return match === 'any';
}

function readQuestion(item: unknown, pointer: string, isAnyEnough: boolean, problems: string[]): Question {
  if (!isJsonObject(item)) {
    problems.push(`${pointer} must be {"query": "…", "tools": ["address"]}, not ${show(item)}.`);
    return { pointer, query: '', steps: [], needed: [] };
  }
  const { query, steps, tool, tools } = item;
  if (!isText(query))
    problems.push(`${pointer}/query must be a text of 1 to ${MAX_QUERY} characters, not ${show(query)}.`);
  if (tool !== undefined && tools !== undefined)
    problems.push(`${pointer} has both tool and tools. Write tools only.`);
  if (tool === undefined && tools === undefined)
    problems.push(`${pointer} has no tools. Write [] if no tool answers the question.`);
  const needed = readNeeded(
    tools ?? (tool === undefined ? [] : [tool]),
    pointer,
    tools === undefined ? 'tool' : 'tools',
    problems,
  );
  return {
    pointer,
    query: isText(query) ? query : '',
    steps: readSteps(steps, pointer, problems),
    needed: readMatch(item, pointer, isAnyEnough, problems) && needed.length > 1 ? [needed.flat()] : needed,
  };
}

function readSteps(steps: unknown, pointer: string, problems: string[]): readonly string[] {
  if (steps === undefined) return [];
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS) {
    problems.push(`${pointer}/steps must be a list of 1 to ${MAX_STEPS} queries, not ${show(steps)}.`);
    return [];
  }
  return steps.filter((step, at): step is string => {
    if (isText(step)) return true;
    problems.push(
      `${pointer}/steps/${at} must be a text of 1 to ${MAX_QUERY} characters, not ${show(step)}.`,
    );
    return false;
  });
}

/** Reads the needed tools. A nested list names alternatives. */
function readNeeded(
  tools: unknown,
  pointer: string,
  field: string,
  problems: string[],
): (readonly string[])[] {
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS) {
    problems.push(
      `${pointer}/${field} must be a list of at most ${MAX_TOOLS} addresses, not ${show(tools)}.`,
    );
    return [];
  }
  return tools.map((item: unknown, at) => {
    const place = field === 'tool' ? `${pointer}/tool` : `${pointer}/tools/${at}`;
    if (typeof item === 'string' && item !== '') return [item];
    if (Array.isArray(item) && item.length > 0 && item.length <= MAX_TOOLS) {
      const addresses = item.filter((each): each is string => typeof each === 'string' && each !== '');
      if (addresses.length === item.length) return addresses;
    }
    problems.push(
      `${place} must be an address, or a list of addresses that are equally right, not ${show(item)}.`,
    );
    return [];
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_QUERY;
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : clip(JSON.stringify(value), 60);
}
