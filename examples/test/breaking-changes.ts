import type { JsonSchemaObject } from 'toolfold';
import type { McpTool } from 'toolfold/model';

/** Lists the changes that break clients which know the earlier version of the tools. */
export function breakingChanges(before: readonly McpTool[], after: readonly McpTool[]): string[] {
  return before.flatMap((was) => {
    const is = after.find(({ name }) => name === was.name);
    if (!is) return [`${was.name} is gone`];
    const [oldFields, newFields] = [fieldsOf(was), fieldsOf(is)];
    const gone = Object.keys(oldFields).filter((field) => !Object.hasOwn(newFields, field));
    const demanded = requiredOf(is).filter((field) => !requiredOf(was).includes(field));
    const narrower = Object.entries(oldFields).flatMap(([field, schema]) => {
      const values = newFields[field]?.['enum'];
      if (!Array.isArray(schema['enum']) || !Array.isArray(values)) return [];
      return schema['enum'].filter((value) => !values.includes(value)).map((value) => `${field}: ${value}`);
    });
    return [
      ...gone.map((field) => `${was.name}: the field ${field} is gone`),
      ...demanded.map((field) => `${was.name}: the field ${field} is required now`),
      ...narrower.map((value) => `${was.name}: no longer takes ${value}`),
      ...(was.annotations?.readOnlyHint && !is.annotations?.readOnlyHint
        ? [`${was.name}: no longer says that it only reads`]
        : []),
    ];
  });
}

function fieldsOf({ inputSchema }: McpTool): Record<string, JsonSchemaObject> {
  return (inputSchema['properties'] ?? {}) as Record<string, JsonSchemaObject>;
}

function requiredOf({ inputSchema }: McpTool): readonly string[] {
  return (inputSchema['required'] ?? []) as readonly string[];
}
