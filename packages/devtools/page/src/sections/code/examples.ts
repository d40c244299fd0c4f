import type { DeclaredFunction } from './declarations.js';
import { sampleCall } from './declarations.js';

interface CodeExample {
  readonly title: string;
  readonly code: string;
}

const reading = /(?:^|[._])(?:list|search|find|get|read|count|show|describe|echo|status)/i;

/**
 * Rates how complex a function is as a first example: 1 for each required field, and 10 if its name does not suggest
 * reading.
 */
function rate({ path, fields }: DeclaredFunction): number {
  return fields.filter(({ isRequired }) => isRequired).length + (reading.test(path) ? 0 : 10);
}

function inOrder(functions: readonly DeclaredFunction[]): DeclaredFunction[] {
  const rated = functions.map((declared) => ({ declared, rate: rate(declared) }));
  return rated.toSorted((one, other) => one.rate - other.rate).map(({ declared }) => declared);
}

/** Creates example programs from the functions of the server. */
export function createExamples(functions: readonly DeclaredFunction[]): CodeExample[] {
  const [first, second = first] = inOrder(functions);
  if (!first || !second) return [];
  const one = sampleCall(first);
  const other = sampleCall(second);
  return [
    {
      title: 'Return what a tool returns',
      code: `// The value of the last expression is the result.\n${one}\n`,
    },
    {
      title: 'Keep only what you need',
      code: `const answer = ${one};\nconsole.log(typeof answer);\nreturn Array.isArray(answer) ? answer.slice(0, 3) : answer;\n`,
    },
    {
      title: 'Run calls at the same time',
      code: `const [first, second] = await Promise.all([\n  ${withoutAwait(one)},\n  ${withoutAwait(other)},\n]);\nreturn { first, second };\n`,
    },
    {
      title: 'Catch the error of a call',
      code: `try {\n  return ${one};\n} catch (error) {\n  return { code: error.code, message: error.message, suggestions: error.suggestions };\n}\n`,
    },
  ];
}

function withoutAwait(call: string): string {
  return call.replace(/^await /, '');
}
