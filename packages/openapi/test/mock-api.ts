import { upgrade } from '@scalar/openapi-upgrader';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { answerJson, headerOf } from './api-server.js';
import type { Answer, ReceivedRequest } from './api-server.js';
import { parseParameter } from './parse-parameter.js';
import { sampleOf } from './sample.js';

type Spec = Readonly<Record<string, unknown>>;

/** A part of a document, and the JSON Pointer that leads there. */
interface Place {
  readonly value: Spec;
  readonly pointer: string;
}

const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly operation: Place;
  readonly parameters: readonly Place[];
}

/**
 * An API that a specification describes. It checks each request against the specification with its own parser and with Ajv, and answers
 * with a generated response. It shares no code with the import of specifications.
 */
export class MockApi {
  readonly #document: Spec;
  readonly #ajv = new Ajv2020({
    strict: false,
    coerceTypes: true,
    validateFormats: false,
    unicodeRegExp: false,
    logger: false,
  });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #routes: readonly Route[];
  readonly #basePath: string;
  /** What was wrong with the last request; empty if it was valid. */
  problems: string[] = [];
  /** The operation that the last request was for, such as `GET /users/{id}`. */
  matched: string | undefined;
  /** The values of the parameters of the last request as text, by place and name. */
  parsed = new Map<string, unknown>();
  #seed = 0;

  constructor(specification: object, basePath: string) {
    this.#document = forRequests(upgrade(structuredClone(specification), '3.1') as unknown as Spec);
    this.#basePath = basePath;
    this.#ajv.addSchema({ ...this.#document, $id: 'api' });
    this.#routes = this.#listRoutes();
  }

  get operations(): readonly string[] {
    return this.#routes.map(({ method, path }) => `${method} ${path}`);
  }

  /** Answers a request: 400 with the problems, or a response that the specification describes. */
  readonly answer: Answer = (request, response) => {
    const route = this.#match(request);
    this.matched = route && `${route.method} ${route.path}`;
    this.problems = route
      ? this.#check(request, route)
      : [`no operation matches ${request.method} ${request.target}`];
    if (!route || this.problems.length > 0) {
      answerJson(response, { errors: this.problems }, 400);
      return;
    }
    const { status, type, body } = this.#respond(route);
    response
      .writeHead(status, type === undefined ? {} : { 'content-type': type })
      .end(request.method === 'HEAD' ? undefined : body);
  };

  #at(pointer: string): unknown {
    return pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => {
        const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
        return (Object(value) as Spec)[name];
      }, this.#document);
  }

  /** Follows references. */
  #place(pointer: string): Place | undefined {
    let at = pointer;
    for (let step = 0; step < 20; step++) {
      const value = this.#at(at);
      if (!isJsonObject(value)) return undefined;
      if (typeof value['$ref'] !== 'string') return { value, pointer: at };
      at = value['$ref'].slice(1);
    }
    return undefined;
  }

  #listRoutes(): Route[] {
    const paths = this.#document['paths'] as Spec;
    const routes = Object.keys(paths).flatMap((path) => {
      const item = this.#place(`/paths/${escapePointer(path)}`);
      if (!item) return [];
      return methods.flatMap((method): Route[] => {
        const operation = this.#place(`${item.pointer}/${method}`);
        if (!operation) return [];
        const [template = ''] = path.split(/[?#]/);
        const source = template
          .split(/(\{[^{}]*\})/)
          .map((part, index) => (index % 2 === 0 ? toPattern(part) : '([^/]+?)'))
          .join('');
        return [
          {
            method: method.toUpperCase(),
            path,
            pattern: new RegExp(`^${source}$`),
            operation,
            parameters: [...this.#parameters(item), ...this.#parameters(operation)],
          },
        ];
      });
    });
    // Paths without placeholders come first, as the standard says.
    return routes.toSorted((a, b) => count(a.path) - count(b.path));
  }

  #parameters({ value, pointer }: Place): Place[] {
    const list = Array.isArray(value['parameters']) ? value['parameters'] : [];
    return list.flatMap((_, index) => this.#place(`${pointer}/parameters/${index}`) ?? []);
  }

  /** The operation that a test expects, if several have the same path. */
  expected: string | undefined;

  #match({ method, target }: ReceivedRequest): Route | undefined {
    const [path = ''] = target.split('?');
    const within = path.startsWith(this.#basePath) ? path.slice(this.#basePath.length) : path;
    const found = this.#routes.filter((route) => route.method === method && route.pattern.test(within));
    return found.find((route) => `${route.method} ${route.path}` === this.expected) ?? found[0];
  }

  #check(request: ReceivedRequest, route: Route): string[] {
    this.parsed = new Map();
    const [path = '', query = ''] = request.target.split(/\?(.*)/s);
    const names = [...route.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
    const values = route.pattern.exec(path.slice(this.#basePath.length))?.slice(1) ?? [];
    const raw = {
      path: new Map(names.map((name, index) => [name, values[index] ?? ''])),
      query: query === '' ? [] : query.split('&').map(splitPair),
      header: new Map(request.headers),
      cookie: headerOf(request, 'cookie').flatMap((cookies) => cookies.split('; ').map(splitPair)),
    };
    const problems: string[] = [];
    for (const { value: parameter, pointer } of route.parameters) {
      if (this.#isOwnHeader(parameter)) continue;
      const content = isJsonObject(parameter['content']) ? Object.keys(parameter['content'])[0] : undefined;
      const at =
        content === undefined ? `${pointer}/schema` : `${pointer}/content/${escapePointer(content)}/schema`;
      const place = this.#place(at);
      const parsed = parseParameter(
        parameter,
        { isContent: content !== undefined, shape: this.#shapeOf(place) },
        raw,
      );
      const label = `${String(parameter['in'])} ${String(parameter['name'])}`;
      if (parsed === undefined) {
        if (parameter['required'] === true) problems.push(`${label} is missing`);
        continue;
      }
      this.parsed.set(label, structuredClone(parsed));
      if (place) problems.push(...this.#validate(place.pointer, parsed, label));
    }
    return [...problems, ...this.#checkBody(request, route)];
  }

  /** The standard says that the first of these parameters are ignored, and `fetch` writes the length itself. */
  #isOwnHeader({ in: place, name }: Spec): boolean {
    return (
      place === 'header' &&
      ['accept', 'authorization', 'content-length', 'content-type'].includes(String(name).toLowerCase())
    );
  }

  /** The types that a schema allows, through references and combinations. */
  #shapeOf(place: Place | undefined, depth = 0): ReadonlySet<string> {
    if (!place || depth > 10) return new Set();
    const { value, pointer } = place;
    const own = [value['type']].flat().filter((type) => typeof type === 'string');
    if (value['properties'] !== undefined && own.length === 0) own.push('object');
    const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
      const list = Array.isArray(value[keyword]) ? value[keyword] : [];
      return list.flatMap((_, index) => [
        ...this.#shapeOf(this.#place(`${pointer}/${keyword}/${index}`), depth + 1),
      ]);
    });
    return new Set([...own, ...inner]);
  }

  #validate(pointer: string, value: unknown, label: string): string[] {
    let validate = this.#validators.get(pointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `api#${pointer}` });
      this.#validators.set(pointer, validate);
    }
    // Ajv coerces the properties of an object, but a value alone only as a part of one.
    if (validate(value)) return [];
    return (validate.errors ?? [])
      .slice(0, 3)
      .map((error) => `${label}${error.instancePath}: ${error.message}`);
  }

  #checkBody(request: ReceivedRequest, { operation }: Route): string[] {
    const body = this.#place(`${operation.pointer}/requestBody`);
    if (!body) return request.body.length === 0 ? [] : ['the operation has no body'];
    if (request.body.length === 0 && headerOf(request, 'content-type').length === 0)
      return body.value['required'] === true ? ['the body is missing'] : [];
    const [type = ''] = headerOf(request, 'content-type');
    const sent = type.split(';')[0]?.trim() ?? '';
    const content = isJsonObject(body.value['content']) ? Object.keys(body.value['content']) : [];
    const media = content.find((each) => matches(each, sent));
    if (media === undefined) return [`the specification has no body of ${sent}, only ${content.join(', ')}`];
    const schema = this.#place(`${body.pointer}/content/${escapePointer(media)}/schema`);
    if (!schema || !/[/+]json$/.test(sent)) return [];
    let value: unknown;
    try {
      value = JSON.parse(request.body.toString());
    } catch {
      return ['the body is no JSON'];
    }
    return this.#validate(schema.pointer, value, 'body');
  }

  #respond({ operation }: Route): { status: number; type: string | undefined; body: string } {
    const responses = Object.keys((operation.value['responses'] ?? {}) as Spec);
    const status = responses.find((each) => /^2\d\d$/.test(each)) ?? '200';
    const response = this.#place(`${operation.pointer}/responses/${status}`);
    const content = isJsonObject(response?.value['content']) ? Object.keys(response.value['content']) : [];
    const type = content.find((each) => /[/+]json/.test(each)) ?? content.find((each) => !each.includes('*'));
    if (!response || type === undefined) return { status: Number(status), type: undefined, body: '' };
    if (!/[/+]json/.test(type)) return { status: Number(status), type, body: 'text' };
    const schema = this.#place(`${response.pointer}/content/${escapePointer(type)}/schema`);
    return { status: Number(status), type, body: JSON.stringify(schema ? this.#sample(schema.value) : {}) };
  }

  #sample(schema: Spec): unknown {
    return sampleOf(schema, { root: this.#document, seed: ++this.#seed }) ?? null;
  }
}

const toPattern = (text: string): string => encodeURI(text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const count = (path: string): number => path.split('{').length;

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

/** Whether a media type, or a range such as `image/*`, includes another. */
function matches(range: string, type: string): boolean {
  const plain = range.split(';')[0]?.trim().toLowerCase() ?? '';
  return plain === type || plain === '*/*' || (plain.endsWith('/*') && type.startsWith(plain.slice(0, -1)));
}

/** Requests do not have the properties that are read-only, also if they are required. */
function forRequests<T>(document: T): T {
  const root = document as Spec;
  const isReadOnly = (schema: unknown): boolean => {
    let at = schema;
    for (let step = 0; step < 10 && isJsonObject(at); step++) {
      if (at['readOnly'] === true) return true;
      const { $ref } = at;
      if (typeof $ref !== 'string') return false;
      at = $ref
        .split('/')
        .slice(1)
        .reduce<unknown>((value, key) => (Object(value) as Spec)[key], root);
    }
    return false;
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, required } = value as { properties?: unknown; required?: unknown };
    if (isJsonObject(properties) && Array.isArray(required))
      (value as { required: unknown }).required = required.filter(
        (name) => !isReadOnly(properties[String(name)]),
      );
    // In OpenAPI 3.0, the keyword only has a meaning beside a type, and Ajv rejects it elsewhere.
    if ('nullable' in value && typeof value.nullable === 'boolean') delete value.nullable;
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(document);
  return document;
}
