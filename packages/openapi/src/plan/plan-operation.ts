import { followPointer, isJsonObject } from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import type { Describe } from '../describe.js';
import { shortenText } from '@toolfold/profiles/internal';
import type { SpecOperation } from '../read/list-operations.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, NotOffered, resolveObject } from '../read/resolve.js';
import type { BodyPlan, RequestPlan } from '../request-plan.js';
import { SchemaTooLarge, SchemaWriter, withDefinitions } from '../schema/schema-writer.js';
import { nameFields } from './field-names.js';
import type { WantedField } from './field-names.js';
import { acceptFor } from './media-types.js';
import { readBody, WHOLE_BODY } from './read-body.js';
import type { ReadBody, ReadProperty } from './read-body.js';
import { readParameters } from './read-parameters.js';
import type { ReadParameter } from './read-parameters.js';
import { readSecurity } from './read-security.js';

export interface PlannedOperation {
  readonly plan: RequestPlan;
  readonly inputSchema: JsonSchemaObject;
}

interface PlanLimits {
  readonly describe: Describe;
  readonly maxSchema: number;
}

/** A subschema takes at least about this many characters, so larger schemas need not be written to reject them. */
const PART_LENGTH = 10;
/** Bounds the schema with the fewest levels. Alternatives and lists do not count as levels, so references can still multiply its parts. */
const MAX_FLAT_PARTS = 10_000;
/** An input schema that is too large is written again with fewer and fewer levels. */
const fewerLevels = [5, 4, 3, 2, 1] as const;
/** Descriptions are cut to this length in an input schema that is too large even with one level. */
const MAX_BRIEF = 60;

export function planOperation(
  document: SpecObject,
  operation: SpecOperation,
  { describe, maxSchema }: PlanLimits,
): PlannedOperation {
  const security = readSecurity(document, operation.security);
  const parameters = readParameters(document, operation, security);
  const body = bodyOf(document, operation);
  const write = (levels: number | undefined, text: Describe): PlannedOperation => {
    const writer = new SchemaWriter(document, {
      side: 'input',
      describe: text,
      maxParts: levels === 1 ? MAX_FLAT_PARTS : Math.ceil(maxSchema / PART_LENGTH),
      ...(levels === undefined ? {} : { levels }),
    });
    return writePlan(document, operation, { security, parameters, body }, writer, text);
  };
  const fits = ({ inputSchema }: PlannedOperation): boolean =>
    lengthOf({ ...inputSchema, ...closed }) <= maxSchema;
  for (const levels of [undefined, ...fewerLevels]) {
    const planned = attempt(() => write(levels, describe));
    if (planned && fits(planned)) return planned;
  }
  const brief = attempt(() => write(1, (source) => shortenText(describe(source), MAX_BRIEF)));
  if (brief)
    return fits(brief) ? brief : { ...brief, inputSchema: narrowInput(brief.inputSchema, maxSchema) };
  throw new NotOffered(`has an input schema with more than ${MAX_FLAT_PARTS} parts`);
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length;
/** Keywords that Toolfold adds to a listed input schema. */
const closed = { additionalProperties: false };

/** Cuts a wide input to its limit: required fields keep at least their types, then optional ones, and whole schemas stay while they fit. */
function narrowInput({ properties, ...root }: JsonSchemaObject, maxSchema: number): JsonSchemaObject {
  const { required = [] } = root as { readonly required?: readonly string[] };
  let left = maxSchema - lengthOf({ ...root, properties: {}, ...closed });
  const fits = (length: number): boolean => {
    if (length > left) return false;
    left -= length;
    return true;
  };
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([field, schema]) => {
    const type = typeof schema === 'boolean' ? undefined : schema['type'];
    const brief = type === undefined ? {} : { type };
    return {
      field,
      schema,
      brief,
      length: lengthOf({ [field]: brief }) - 1,
      isRequired: required.includes(field),
    };
  });
  if (!fields.every(({ isRequired, length }) => !isRequired || fits(length)))
    throw new NotOffered(`has required fields that take more than ${maxSchema} characters. Raise maxSchema`);
  const kept = fields.filter(({ isRequired, length }) => isRequired || fits(length));
  const written = kept.map(({ field, schema, brief }) => [
    field,
    fits(lengthOf(schema) - lengthOf(brief)) ? schema : brief,
  ]);
  return { ...root, properties: Object.fromEntries(written) as Readonly<Record<string, JsonSchema>> };
}

/** Ignores bodies of GET and HEAD. The standard gives them no meaning, and `fetch` sends none. */
function bodyOf(document: SpecObject, { method, requestBody }: SpecOperation): ReadBody | undefined {
  if (method !== 'GET' && method !== 'HEAD') return readBody(document, requestBody);
  if (resolveObject(document, requestBody)['required'] === true)
    throw new NotOffered(`requires a body, which a ${method} request cannot have`);
  return undefined;
}

/** Returns `undefined` if a schema is too large. */
export function attempt<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof SchemaTooLarge) return undefined;
    throw error;
  }
}

interface ReadParts {
  readonly security: RequestPlan['security'];
  readonly parameters: readonly ReadParameter[];
  readonly body: ReadBody | undefined;
}

function writePlan(
  document: SpecObject,
  { method, path, responses }: SpecOperation,
  { security, parameters, body }: ReadParts,
  writer: SchemaWriter,
  describe: Describe,
): PlannedOperation {
  const offered = (body?.properties ?? []).filter(({ schema, required }) =>
    writer.isOffered(schema, required),
  );
  const wholes = body?.whole ? [{ name: WHOLE_BODY, place: 'body' as const }] : [];
  const bodyFields = offered.map((property) => ({ name: property.name, place: 'body' as const, property }));
  const fields = nameFields<WantedField>([...parameters, ...wholes, ...bodyFields]);
  const fieldOf = (wanted: WantedField): string => fields.get(wanted) as string;
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  const add = (field: string, schema: JsonSchema, isRequired: boolean): void => {
    properties.push([field, schema]);
    if (isRequired) required.push(field);
  };
  for (const parameter of parameters) {
    const description = describe(parameter.description);
    add(fieldOf(parameter), describeField(writer.write(parameter.schema), description), parameter.required);
  }
  const [whole] = wholes;
  if (body?.whole && whole) {
    const text = describe(body.description);
    const { isFile, schema } = body.whole;
    add(fieldOf(whole), isFile ? fileSchema(text) : describeField(writer.write(schema), text), body.required);
  }
  for (const each of bodyFields)
    add(
      fieldOf(each),
      writeProperty(each.property, writer, describe),
      each.property.required && body?.required === true,
    );
  const inputSchema = withDefinitions(
    {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
    },
    writer.definitions,
  );
  const place = (field: string): { field: string; schema: JsonSchemaObject } => ({
    field,
    schema: fieldSchema(inputSchema, field),
  });
  const plannedBody: BodyPlan | undefined = body && {
    mediaType: body.mediaType,
    kind: body.kind,
    required: body.required,
    wholeField: whole && fieldOf(whole),
    properties: bodyFields.map((each) => {
      const { required: _, ...property } = each.property;
      return { ...property, ...place(fieldOf(each)) };
    }),
  };
  const plan: RequestPlan = {
    method,
    path,
    parameters: parameters.map((parameter) => {
      const { description: _, ...rest } = parameter;
      return { ...rest, ...place(fieldOf(parameter)) };
    }),
    body: plannedBody,
    accept: acceptFor(responseTypes(document, responses)),
    security,
  };
  return { plan, inputSchema };
}

/** Returns the schema of a field, without a reference at its root. */
function fieldSchema(root: JsonSchemaObject, field: string): JsonSchemaObject {
  const { properties } = root;
  let schema: unknown = (properties as JsonSchemaObject)[field];
  for (let step = 0; step < 20 && isJsonObject(schema) && typeof schema['$ref'] === 'string'; step++)
    schema = followPointer(root, schema['$ref']);
  return isJsonObject(schema) ? schema : {};
}

function writeProperty(
  { file, schema }: Pick<ReadProperty, 'file' | 'schema'>,
  writer: SchemaWriter,
  describe: Describe,
): JsonSchema {
  if (file === undefined) return writer.write(schema);
  const description = isJsonObject(schema) ? describe(schema['description']) : '';
  if (file === 'one') return fileSchema(description);
  return { type: 'array', ...(description === '' ? {} : { description }), items: fileSchema('') };
}

function fileSchema(description: string): JsonSchemaObject {
  return {
    type: 'object',
    description: description === '' ? 'A file: base64 or text.' : `${description} A file: base64 or text.`,
    properties: {
      base64: { type: 'string', contentEncoding: 'base64' },
      text: { type: 'string' },
      fileName: { type: 'string' },
      mediaType: { type: 'string' },
    },
    additionalProperties: false,
  };
}

/** Adds the description of a parameter, which takes precedence over that of its schema. */
function describeField(schema: JsonSchema, description: string): JsonSchema {
  if (description === '' || typeof schema === 'boolean') return schema;
  const { examples: _, ...rest } = schema;
  return { ...rest, description };
}

function responseTypes(document: SpecObject, responses: unknown): string[] {
  return entriesOf(responses).flatMap(([status, response]) =>
    status.startsWith('2')
      ? entriesOf(resolveObject(document, response)['content']).map(([name]) => name)
      : [],
  );
}
