export { createHandler } from './create-handler.js';
export type { HandlerOptions, McpHandler, SessionOptions } from './create-handler.js';
export { toNodeListener } from './node-listener.js';
export { serveHttp } from './serve-http.js';
export type { RunningServer, ServeHttpOptions } from './serve-http.js';
export { serveStdio } from './serve-stdio.js';
export type { RunningStdio, ServeStdioOptions } from './serve-stdio.js';
