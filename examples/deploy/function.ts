import { createHandler } from 'toolfold/web';
import { registry } from './registry.js';

const mcp = createHandler(registry, { allowedHosts: ['mcp.example.com'] });

export const GET = (request: Request): Promise<Response> => mcp.fetch(request);
export const POST = GET;
export const DELETE = GET;
