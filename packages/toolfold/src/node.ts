/** `toolfold/node`: serving on Node, over HTTP and stdio. */
export { defineServer } from './serve/node/define-server.js';
export type { DefinedServer, ServerDescription } from './serve/node/define-server.js';
export { keyFile } from './serve/node/key-file.js';
export { toNodeListener } from './serve/node/node-listener.js';
export type { NodeRequest } from './serve/node/node-listener.js';
export { serveHttp } from './serve/node/serve-http.js';
export type { RunningServer, ServeHttpOptions } from './serve/node/serve-http.js';
export { serveStdio } from './serve/stdio/serve-stdio.js';
export type { RunningStdio, ServeStdioOptions } from './serve/stdio/serve-stdio.js';
