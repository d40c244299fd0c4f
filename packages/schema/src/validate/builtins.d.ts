// Modules that `imports` of package.json maps: on Node, Bun and Deno to Ajv, elsewhere to a file of this package, because workers forbid
// generated code.

declare module '#ajv' {
  export { Ajv } from 'ajv';
}

declare module '#ajv-2020' {
  export { Ajv2020 } from 'ajv/dist/2020.js';
}
