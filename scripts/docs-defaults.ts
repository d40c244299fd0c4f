/** Compares the defaults in comments with those in the code: `{ port = 3000 }`, `options.port ?? 3000`. */
import { readEntries, unexported } from './docs-api.js';
import { packageFolders, parseSource, sourcesOf } from './packages.js';

export interface StatedDefault {
  /** `ServeHttpOptions.port` */
  readonly option: string;
  readonly stated: string;
  /** The defaults of this name anywhere in the code. */
  readonly inCode: readonly unknown[];
  readonly isRight: boolean;
}

/** Every option whose comment gives a default that is a number, a size, a time, a word or a boolean. */
export function statedDefaults(): readonly StatedDefault[] {
  const inCode = readFallbacks();
  const all = new Set(readEntries().flatMap(({ exports }) => [...exports.values()]));
  return [...all, ...unexported(all).keys()].flatMap(({ name, members }) =>
    members.flatMap((member) => {
      const value = member.fallback === undefined ? undefined : valueOf(member.fallback);
      if (member.fallback === undefined || value === undefined) return [];
      const found = [...(inCode.get(member.name) ?? [])];
      const option = `${name}.${member.name}`;
      return [{ option, stated: member.fallback, inCode: found, isRight: found.includes(value) }];
    }),
  );
}

const units: Readonly<Record<string, number>> = {
  KiB: 1_024,
  MiB: 1_024 ** 2,
  minute: 60_000,
  minutes: 60_000,
  hour: 3_600_000,
};

/** Parses a default such as `4 MiB`, `an hour`, `1,000`, `true` or `` `auto` ``. Any text after it is ignored. */
function valueOf(stated: string): unknown {
  const [said = ''] = stated.split(/[,;:] (?=[a-z])/);
  const [, word] = /^`([\w-]+)`$/.exec(said) ?? [];
  if (word !== undefined) return word;
  if (said === 'true' || said === 'false') return said === 'true';
  if (/^\d+(?:\.\d+){2,}$|^\d{4}-\d\d-\d\d$/.test(said)) return said;
  const [, count, unit] = /^(an?|[\d,]+)(?: (\w+))?$/.exec(said) ?? [];
  if (count === undefined || (unit !== undefined && units[unit] === undefined)) return undefined;
  const number = /^an?$/.test(count) ? 1 : Number(count.replaceAll(',', ''));
  return unit === undefined && !/\d/.test(count) ? undefined : number * (units[unit ?? ''] ?? 1);
}

interface Visited {
  readonly type?: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly operator?: string;
  readonly left?: Visited;
  readonly right?: Visited;
  readonly key?: Visited;
  readonly property?: Visited;
  readonly id?: Visited;
  readonly declaration?: Visited | null;
  readonly declarations?: readonly Visited[];
  readonly init?: Visited;
}

function readFallbacks(): ReadonlyMap<string, ReadonlySet<unknown>> {
  const found = new Map<string, Set<unknown>>();
  for (const file of packageFolders.flatMap(sourcesOf)) {
    const program = parseSource(file);
    const constants = new Map<string, Visited>();
    for (const statement of program.body as readonly Visited[]) {
      const { declarations = [] } = statement.declaration ?? statement;
      for (const { id, init } of declarations)
        if (id?.name !== undefined && init) constants.set(id.name, init);
    }
    const evaluate = (node: Visited | undefined): unknown => {
      if (node?.type === 'Literal') return node.value;
      if (node?.type === 'Identifier') return evaluate(constants.get(node.name ?? ''));
      if (node?.type !== 'BinaryExpression') return undefined;
      const [left, right] = [evaluate(node.left), evaluate(node.right)];
      if (typeof left !== 'number' || typeof right !== 'number') return undefined;
      return node.operator === '*' ? left * right : node.operator === '**' ? left ** right : undefined;
    };
    const keep = (key: Visited | undefined, fallback: Visited | undefined): void => {
      const value = evaluate(fallback);
      if (key?.name !== undefined && value !== undefined)
        found.set(key.name, (found.get(key.name) ?? new Set()).add(value));
    };
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, key, value, operator, left, right } = node as Visited;
      const inner = value as Visited | undefined;
      if (type === 'Property' && inner?.type === 'AssignmentPattern') keep(key, inner.right);
      if (type === 'LogicalExpression' && operator === '??' && left?.type === 'MemberExpression')
        keep(left.property, right);
      for (const child of Object.values(node)) visit(child);
    };
    visit(program);
  }
  return found;
}
