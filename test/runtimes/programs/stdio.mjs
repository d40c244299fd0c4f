import { serveStdio } from 'toolfold/node';
import { registry } from './registry.mjs';

await serveStdio(registry);
