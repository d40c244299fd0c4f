import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The specifications in `test/data/openapi`. */
export const specifications = [
  'asana',
  'box',
  'digitalocean',
  'figma',
  'github',
  'jira',
  'netlify',
  'twilio',
] as const;

export type Specification = (typeof specifications)[number];

/** Reads one of the packed specifications. */
export function readSpecification(name: Specification): Record<string, unknown> {
  const packed = readFileSync(new URL(`../../../test/data/openapi/${name}.json.br`, import.meta.url));
  return JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, unknown>;
}
