// Packs specifications for the tests: `node scripts/pack-specifications.mjs github.json=path/to/api.github.com.json …`.
// Examples and extensions are removed, because Toolfold reads neither, and they are two thirds of the bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { parse } from 'yaml';

/** Objects whose keys are names that the specification chooses, so that none of them is a keyword. */
const named = new Set([
  'content',
  'definitions',
  'headers',
  'mapping',
  'parameters',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'scopes',
  'securityDefinitions',
  'securitySchemes',
  'variables',
]);

/**
 * @param {unknown} value
 * @param {boolean} isNamed
 * @returns {unknown}
 */
function strip(value, isNamed = false) {
  if (Array.isArray(value)) return value.map((item) => strip(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNamed || (key !== 'example' && key !== 'examples' && !key.startsWith('x-')))
      .map(([key, inner]) => [key, strip(inner, !isNamed && named.has(key))]),
  );
}

for (const argument of process.argv.slice(2)) {
  const [name, path] = argument.split('=');
  if (name === undefined || path === undefined) throw new Error(`Expected name=path, got ${argument}`);
  const packed = brotliCompressSync(JSON.stringify(strip(parse(readFileSync(path, 'utf8')))), {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 },
  });
  writeFileSync(new URL(`../test/data/openapi/${name}.br`, import.meta.url), packed);
  console.log(`${name}.br: ${packed.length} bytes`);
}
