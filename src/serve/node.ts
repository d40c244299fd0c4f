export { createHandler } from './create-handler.js';
export type { HandlerOptions, McpHandler } from './create-handler.js';
export type { SessionOptions } from './legacy-sessions.js';
export { serveHttp, toNodeListener } from './serve-http.js';
export type { RunningServer, ServeHttpOptions } from './serve-http.js';
export { serveStdio } from './serve-stdio.js';
export type { ServeStdioOptions } from './serve-stdio.js';
