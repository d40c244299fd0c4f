import { expect, it } from 'vitest';
import { apiRequests, type ApiRequest } from './api-requests.js';

const api = apiRequests('https://api.example.com');

it.each([
  [[{ key: [] }], 'a list of lists of security schemes'],
  [[['key']], 'A security scheme of an API request'],
  [[[{ id: 'key', type: 'http', sceme: 'bearer' }]], 'Did you mean "scheme"?'],
  [[[{ id: 'key' }]], 'type'],
])('apiRequests rejects the security %j with what to write', (security, expected) => {
  expect(() => api({ method: 'GET', path: '/a', security } as unknown as ApiRequest)).toThrow(expected);
});
