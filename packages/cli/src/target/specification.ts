import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { ErrInvalidOptions } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import type { FromOpenAPIOptions } from '@toolfold/openapi';
import { isJsonObject } from '@toolfold/schema/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { CommandError } from '@toolfold/analysis/internal';
import { toLine } from 'toolfold/internal';
import type { Terminal } from '../terminal/terminal.js';

export const MAX_SPECIFICATION_BYTES = 64 * 1024 * 1024;

/** Whether a file is an OpenAPI specification: a YAML file, or JSON with the version of OpenAPI or Swagger at its root. */
export function isSpecification(file: string): boolean {
  const extension = extname(file).toLowerCase();
  if (extension === '.yaml' || extension === '.yml') return true;
  if (extension !== '.json') return false;
  try {
    const parsed = JSON.parse(readSpecificationFile(file)) as unknown;
    return isJsonObject(parsed) && (Object.hasOwn(parsed, 'openapi') || Object.hasOwn(parsed, 'swagger'));
  } catch {
    // The reader of saved lists reports missing, large and invalid files.
    return false;
  }
}

export function readSpecificationFile(file: string): string {
  if (statSync(file).size > MAX_SPECIFICATION_BYTES)
    throw new CommandError(`${file} is larger than ${MAX_SPECIFICATION_BYTES / 1024 / 1024} MiB.`);
  return readFileSync(file, 'utf8');
}

export function nameOfFile(file: string): string {
  return basename(file, extname(file)).replaceAll(/[^\w.-]+/g, '-') || 'api';
}

/** Base address for commands that never call tools. The domain does not exist. */
const NOWHERE = 'https://api.invalid';

export interface SpecificationOptions {
  readonly baseUrl?: string;
  readonly credentials?: NonNullable<FromOpenAPIOptions['credentials']>;
}

/** Converts a specification to a registry. Callers need no scopes, because they own the machine. */
export async function loadSpecification(
  file: string,
  terminal: Terminal,
  options: SpecificationOptions = {},
): Promise<LoadedModule & { readonly release: () => void }> {
  const { fromOpenAPI } = await import('@toolfold/openapi');
  const text = readSpecificationFile(file);
  const skipped: string[] = [];
  const read = (base: SpecificationOptions): ReturnType<typeof fromOpenAPI> => {
    skipped.length = 0;
    const onSkipped = (operation: string): void => void skipped.push(operation);
    return fromOpenAPI(text, { ...options, ...base, scopes: false, onSkipped });
  };
  const registry = new ToolRegistry({ name: nameOfFile(file) });
  try {
    registry.register(read({}));
  } catch (error) {
    const needsAddress = error instanceof ErrInvalidOptions && error.hint === 'Pass baseUrl.';
    if (!needsAddress) throw error;
    terminal.notify(`${file} names no server that can be called, so calls will fail.`);
    registry.register(read({ baseUrl: NOWHERE }));
  }
  reportSkipped(skipped, terminal);
  return { registry, found: 'the operations of the specification', release: () => {} };
}

export function reportSkipped(skipped: readonly string[], terminal: Terminal): void {
  if (skipped.length === 0) return;
  const shown = skipped
    .slice(0, 5)
    .map((each) => toLine(each))
    .join(', ');
  const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : '';
  terminal.notify(`left out ${shown}${more}`);
}
