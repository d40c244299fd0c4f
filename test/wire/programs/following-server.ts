// Serves the items of an upstream server on stdio. The argument is JSON with the target.
import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import type { UpstreamCommand } from '@toolfold/gateway';

const upstream = fromMcpServer(JSON.parse(process.argv[2] ?? '') as UpstreamCommand, { protocol: '2025' });
const followed = new ToolRegistry({ name: 'followed' });
await upstream.follow(followed);
const gateway = new ToolRegistry({ name: 'gateway' });
gateway.mount('far', followed);
const { ended } = serveStdio(gateway);
await ended;
await upstream.close();
