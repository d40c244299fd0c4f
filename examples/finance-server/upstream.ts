/**
 * A fake of financialmodelingprep.com, so that the example needs no network and no key. The data is made up.
 *
 * The package calls a fixed address with axios. Every axios instance inherits `axios.defaults`, whose `adapter` sends
 * the requests. The adapter here sends requests for the service to a local server. The package is not changed.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios from 'axios';

const SERVICE = 'https://financialmodelingprep.com';

export interface UpstreamRequest {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly symbol: string | null;
}

export interface Upstream {
  /** The requests in order, with their keys. */
  readonly requests: readonly UpstreamRequest[];
  close(): void;
}

const companies: Readonly<Record<string, string>> = { ACME: 'Acme Anvils Inc.', GLOBX: 'Globex Corporation' };

export async function startUpstream(): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream');
    const endpoint = pathname.replace(/^\/stable\//, '');
    const [apiKey, symbol] = [searchParams.get('apikey') ?? '', searchParams.get('symbol')];
    requests.push({ endpoint, apiKey, symbol });
    const isKnown = apiKey.startsWith('key-of-');
    const body = isKnown ? answer(endpoint, symbol) : { 'Error Message': 'Invalid API KEY.' };
    const isText = typeof body === 'string';
    response.writeHead(isKnown ? 200 : 401, { 'content-type': isText ? 'text/csv' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { requests, close: () => void server.close() };
}

/** Redirects requests for the service to `address`. Must run before the package creates its first axios instance. */
function sendTo(address: string): void {
  const send = axios.getAdapter('http');
  axios.defaults.adapter = (config) => {
    const baseURL = config.baseURL?.replace(SERVICE, address);
    if (!baseURL?.startsWith(address)) throw new Error(`Nothing stands in for ${config.baseURL}`);
    return send({ ...config, baseURL });
  };
}

function answer(endpoint: string, symbol: string | null): unknown {
  const name = companies[symbol ?? ''] ?? 'Initech Ltd.';
  const share = { symbol: symbol ?? 'INIT', name };
  if (endpoint.endsWith('bulk')) return `symbol,name,price\n${share.symbol},${share.name},42.5\n`;
  if (endpoint === 'quote') return [{ ...share, price: 42.5, change: -0.5, volume: 120_000 }];
  if (endpoint === 'profile') return [{ ...share, industry: 'Tools', country: 'US', employees: 1_200 }];
  if (endpoint.startsWith('search')) return [{ ...share, currency: 'USD', exchange: 'NASDAQ' }];
  return [{ ...share, date: '2026-01-30', endpoint }];
}
