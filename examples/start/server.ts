import { serveHttp } from 'toolfold/node';
import { registry } from './rooms.js';

const { url } = await serveHttp(registry, { port: Number(process.env['PORT'] ?? 3000) });
console.log(url);
