/**
 * Replaces Ajv in runtimes without the modules of Node, where `imports` of package.json resolves to this file. Workers forbid generated
 * code, and in a browser Ajv would add a fifth to the size of Toolfold, so schemas are interpreted there.
 */
function NoAjv(): never {
  throw new Error('Schemas are interpreted in this runtime.');
}

export { NoAjv as Ajv, NoAjv as Ajv2020 };
