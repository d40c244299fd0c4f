/**
 * Stands in for Ajv where `imports` of package.json finds no Node. Workers forbid generated code, and in a browser Ajv would take as
 * many bytes as a fifth of Toolfold, so schemas are interpreted there.
 */
function NoAjv(): never {
  throw new Error('Schemas are interpreted in this runtime.');
}

export { NoAjv as Ajv, NoAjv as Ajv2020 };
