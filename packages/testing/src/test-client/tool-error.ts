import { isJsonObject } from '@toolfold/schema/internal';

interface FoundToolError {
  /** The code of the report; `undefined` for an error that Toolfold did not report. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Reads the error of a failed call: a result with `isError`, or an error of Toolfold. Other values have none. */
export function readToolError(value: unknown): FoundToolError | undefined {
  if (value instanceof Error) {
    const { code } = value as { code?: unknown };
    return { code: typeof code === 'string' ? code : undefined, message: value.message };
  }
  if (!isJsonObject(value) || value['isError'] !== true) return undefined;
  const meta = isJsonObject(value['_meta']) ? value['_meta'] : {};
  const report = meta['toolfold/error'];
  const texts = Array.isArray(value['content'])
    ? value['content'].flatMap((part: unknown) =>
        isJsonObject(part) && part['type'] === 'text' ? [part['text']] : [],
      )
    : [];
  const code = isJsonObject(report) && typeof report['code'] === 'string' ? report['code'] : undefined;
  return { code, message: texts.join('\n') };
}
