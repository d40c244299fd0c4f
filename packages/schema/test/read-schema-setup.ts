import type { JsonSchemaObject, ReadSchema } from '@toolfold/schema';

export const json = (schema: ReadSchema): JsonSchemaObject => schema.jsonSchema;
