import { serveHttp } from 'toolfold/node';
import { registry } from './registry.mjs';

const { url } = await serveHttp(registry, { port: 0 });
console.log(url);
