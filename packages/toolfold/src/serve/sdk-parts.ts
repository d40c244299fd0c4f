// `sdk.ts` imports this file dynamically. Of a dynamically imported package bundlers would keep everything, and of this file they
// keep only these names.
export { classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server';
