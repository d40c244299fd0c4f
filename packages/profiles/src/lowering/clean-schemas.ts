import { childrenOf, isSchema, rootNode, walkSchema } from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import type { ProfileRules } from '../rules/rules-of.js';
import type { SchemaPlace } from '../rules/rule.js';
import type { SchemaNode } from '@toolfold/schema/internal';
import { MAX_DEPTH } from '../rules/structure-rules.js';
import { checkSubschema } from '../check-schema.js';

type PlaceOf = Pick<SchemaPlace, 'isItems' | 'depth'>;

/** Whether a schema or one inside it accepts several types. */
export function hasUnions(schema: JsonSchemaObject): boolean {
  let isFound = false;
  const visit = ({ schema: part }: SchemaNode): boolean => {
    isFound = part['anyOf'] !== undefined || part['oneOf'] !== undefined || Array.isArray(part['type']);
    return !isFound;
  };
  walkSchema(schema, visit, MAX_DEPTH);
  return isFound;
}

/** Decides which subschemas a profile accepts unchanged. */
export class CleanSchemas {
  readonly size: number;
  /** Whether references can stay, because all definitions are accepted and found. */
  keepsRefs: boolean;
  readonly #rules: ProfileRules;
  /** The number of levels inside a schema; `undefined` if the profile rejects something inside it. */
  #heights = new WeakMap<JsonSchemaObject, number | undefined>();

  constructor(root: JsonSchemaObject, rules: ProfileRules) {
    this.#rules = rules;
    let size = 0;
    let keepsRefs = !rules.keywords.has('$ref');
    const visit = ({ schema }: SchemaNode): void => {
      size++;
      const { $ref } = schema;
      // Lowering moves properties, so only references to definitions stay valid.
      if ($ref !== undefined && !(typeof $ref === 'string' && /^#\/(\$defs|definitions)\/[^/]+$/.test($ref)))
        keepsRefs = false;
      if (
        ['$dynamicRef', '$anchor', '$dynamicAnchor', '$id', 'id'].some(
          (keyword) => typeof schema[keyword] === 'string',
        )
      )
        keepsRefs = false;
    };
    walkSchema(root, visit, MAX_DEPTH);
    this.size = size;
    this.keepsRefs = keepsRefs;
    if (keepsRefs) {
      const definitions = [root['$defs'], root['definitions']].flatMap((map) =>
        typeof map === 'object' && map !== null ? Object.values(map) : [],
      );
      if (
        !definitions.every(
          (schema) => isSchema(schema) && this.isClean(schema, { isItems: false, depth: 1 }, MAX_DEPTH),
        )
      )
        this.keepsRefs = false;
      if (!this.keepsRefs) this.#heights = new WeakMap();
    }
  }

  /** Whether a profile accepts a schema and everything in it at this place. */
  isClean(schema: JsonSchema, place: PlaceOf, maxDepth: number): boolean {
    if (typeof schema === 'boolean')
      return schema && !this.#rules.ids.has('typed-schemas') && !this.#rules.ids.has('strict-typed');
    if (!this.#passes(schema, place)) return false;
    const height = this.#heightOf(schema, 0);
    return height !== undefined && place.depth + height <= maxDepth;
  }

  /** Whether a schema contains unions that the client shows as text, so that texts must be read. */
  hasUnionsAsText(schema: JsonSchema): boolean {
    return this.#rules.ids.has('any-of-as-text') && typeof schema === 'object' && hasUnions(schema);
  }

  /** Reports the rules that a schema breaks, without looking at the schemas inside it. */
  explain(
    schema: JsonSchema,
    { isItems, depth, isRoot = false }: PlaceOf & { readonly isRoot?: boolean },
    report: (rule: string, message: string) => void,
  ): void {
    if (typeof schema === 'boolean') return;
    checkSubschema(schema, { isRoot, isItems, depth }, this.#rules, report);
  }

  #passes(schema: JsonSchemaObject, { isItems, depth }: PlaceOf): boolean {
    if (schema['$ref'] !== undefined && !this.keepsRefs) return false;
    let isAccepted = true;
    checkSubschema(schema, { isRoot: false, isItems, depth }, this.#rules, () => (isAccepted = false));
    return isAccepted;
  }

  #heightOf(schema: JsonSchemaObject, level: number): number | undefined {
    if (this.#heights.has(schema)) return this.#heights.get(schema);
    if (level > MAX_DEPTH * 2) return undefined;
    let height: number | undefined = 0;
    for (const { schema: child, isItems, depth } of childrenOf(rootNode(schema))) {
      const below = this.#passes(child, { isItems, depth: 1 }) ? this.#heightOf(child, level + 1) : undefined;
      if (below === undefined) {
        height = undefined;
        break;
      }
      height = Math.max(height, below + Math.ceil(depth));
    }
    this.#heights.set(schema, height);
    return height;
  }
}
