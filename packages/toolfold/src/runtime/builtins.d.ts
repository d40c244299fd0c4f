// Modules that `imports` of package.json maps: on Node, Bun and Deno to a module of Node, elsewhere to a file of this package. A worker
// without Node compatibility has neither `node:crypto` nor `node:async_hooks`.
//
// `require` is for programs that compile Toolfold to CommonJS while they load it, as tsx and Jest do in projects without
// "type": "module". Node cannot require a name that is mapped to a built-in module, so they get a file that imports it.

declare module '#async-hooks' {
  export { AsyncLocalStorage } from 'node:async_hooks';
}

declare module '#crypto' {
  export { createHash, createHmac, timingSafeEqual } from 'node:crypto';
}
