import type { CodeDeclarations } from '../../../../src/page-api.js';

export type DeclaredFunction = CodeDeclarations['functions'][number];
export type DeclaredField = DeclaredFunction['fields'][number];

/** A name below `tools`: a function, a namespace of functions, or both. */
interface PathChild {
  readonly name: string;
  readonly declared: DeclaredFunction | undefined;
  /** Number of functions below this name. */
  readonly size: number;
}

interface Branch {
  readonly children: Map<string, Branch>;
  declared: DeclaredFunction | undefined;
  size: number;
}

const createBranch = (): Branch => ({ children: new Map(), declared: undefined, size: 0 });

/** Indexes the declared functions by path and by level. */
export class DeclarationIndex {
  readonly functions: readonly DeclaredFunction[];
  readonly #byPath: ReadonlyMap<string, DeclaredFunction>;
  readonly #root = createBranch();
  readonly #texts: readonly string[];

  constructor(functions: readonly DeclaredFunction[]) {
    this.functions = functions;
    this.#byPath = new Map(functions.map((declared) => [declared.path, declared]));
    this.#texts = functions.map(({ path, description = '' }) => `${path} ${description}`.toLowerCase());
    for (const declared of functions) {
      let branch = this.#root;
      for (const name of declared.path.split('.')) {
        const next = branch.children.get(name) ?? createBranch();
        branch.children.set(name, next);
        branch = next;
        branch.size++;
      }
      branch.size--;
      branch.declared = declared;
    }
  }

  find(path: string): DeclaredFunction | undefined {
    return this.#byPath.get(path);
  }

  /** Returns the names directly below a path. The empty path is `tools` itself. */
  childrenOf(path: string): PathChild[] {
    let branch: Branch | undefined = this.#root;
    if (path !== '') for (const name of path.split('.')) branch = branch?.children.get(name);
    return Array.from(branch?.children ?? [], ([name, { declared, size }]) => ({ name, declared, size }));
  }

  /** Finds functions whose path or description contains every word. Matches in the path come first. */
  search(text: string, limit = Infinity): DeclaredFunction[] {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length === 0) return this.functions.slice(0, limit);
    const inPath: DeclaredFunction[] = [];
    const others: DeclaredFunction[] = [];
    this.functions.forEach((declared, at) => {
      const all = this.#texts[at] ?? '';
      if (!words.every((word) => all.includes(word))) return;
      const { length } = declared.path;
      const isInPath = words.every((word) => all.lastIndexOf(word, length - word.length) >= 0);
      (isInPath ? inPath : others).push(declared);
    });
    return [...inPath, ...others].slice(0, limit);
  }
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** Writes a property name as in code. */
export function writeProperty(name: string): string {
  return identifier.test(name) ? name : JSON.stringify(name);
}

const literal = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|true|false|null)$/;

/** Returns the literals of a type such as `"open" | "closed"`. Empty for other types. */
export function literalsOf(type: string): string[] {
  const found = type.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^|]+/g)?.map((part) => part.trim()) ?? [];
  const parts = found.filter((part) => part !== '' && part !== '|');
  if (type.trim() === 'boolean') return ['true', 'false'];
  return parts.length > 0 && parts.every((part) => literal.test(part)) ? parts : [];
}

/** Returns an example value of a type, for generated calls. */
export function sampleOf(type: string): string {
  const [first] = literalsOf(type);
  if (first !== undefined) return first;
  const trimmed = type.trim();
  if (trimmed.endsWith('[]') || /^(?:Array|readonly )/.test(trimmed)) return '[]';
  if (/^(?:number|integer)\b/.test(trimmed)) return '1';
  if (trimmed.startsWith('boolean')) return 'true';
  if (trimmed.startsWith('{') || trimmed.startsWith('Record')) return '{}';
  return "''";
}

/** Writes a call with an example value for each required field. */
export function sampleCall({ path, fields }: DeclaredFunction): string {
  const required = fields.filter(({ isRequired }) => isRequired);
  const given = required.map(({ name, type }) => `${writeProperty(name)}: ${sampleOf(type)}`);
  return `await tools.${path}(${given.length === 0 ? '' : `{ ${given.join(', ')} }`})`;
}
