import wasm from './quickjs.wasm';
import { inline, tryCode } from './code.mjs';

export default {
  fetch: async () => Response.json(await tryCode(inline(wasm))),
};
