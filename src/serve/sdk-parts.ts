// The parts of the SDK that Toolfold uses. Bundlers keep the whole of a package that is imported dynamically, but only these of this
// file.
export { classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server';
