import { serveHttp } from 'toolfold/node';
import server from './server.js';

const { url } = await serveHttp(server.registry, server.http);
console.log(`Serving MCP at ${url}`);
