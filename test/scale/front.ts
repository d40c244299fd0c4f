import { createServer, request as ask } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Target {
  readonly url: URL;
  isHealthy: boolean;
  readonly inFlight: Set<() => void>;
}

/** A load balancer: round robin over the nodes whose health check succeeds. */
export async function startFront(urls: () => readonly string[]) {
  const targets = new Map<string, Target>();
  let turn = 0;
  const current = (): Target[] =>
    urls().map((url) => {
      const known = targets.get(url) ?? { url: new URL(url), isHealthy: true, inFlight: new Set() };
      targets.set(url, known);
      return known;
    });
  const check = async (target: Target): Promise<void> => {
    const isHealthy = await fetch(new URL('/healthz', target.url), { signal: AbortSignal.timeout(500) }).then(
      ({ ok }) => ok,
      () => false,
    );
    target.isHealthy = isHealthy;
    // Fail the requests that wait for a node without an answer.
    if (!isHealthy) for (const giveUp of target.inFlight) giveUp();
  };
  const timer = setInterval(() => {
    for (const target of current()) void check(target);
  }, 250);

  const forward = (body: Buffer, from: IncomingMessage, to: ServerResponse, triesLeft: number): void => {
    const healthy = current().filter(({ isHealthy }) => isHealthy);
    const target = healthy[turn++ % healthy.length];
    const reject = (): void => {
      if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    };
    if (!target) {
      reject();
      return;
    }
    const { hostname, port, pathname } = target.url;
    const headers = { ...from.headers, host: `${hostname}:${port}` };
    const asked = ask({ hostname, port, path: pathname, method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    const giveUp = (): void => void asked.destroy(new Error('gone'));
    target.inFlight.add(giveUp);
    const end = (): void => void target.inFlight.delete(giveUp);
    asked.on('error', (error: NodeJS.ErrnoException) => {
      end();
      // A request that never arrived can go to another node; one that arrived may have run.
      if (error.code === 'ECONNREFUSED' && triesLeft > 0) {
        target.isHealthy = false;
        forward(body, from, to, triesLeft - 1);
      } else reject();
    });
    asked.on('close', end);
    to.on('close', () => asked.destroy());
    asked.end(body);
  };

  const server = createServer((from, to) => {
    const chunks: Buffer[] = [];
    from.on('data', (chunk: Buffer) => chunks.push(chunk));
    from.on('end', () => forward(Buffer.concat(chunks), from, to, 2));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
