import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../registry/tool-registry.js';
import { parseUriTemplate } from './resources.js';
import { ErrInvalidModel } from '@toolfold/schema/errors';

const outside = [
  '..',
  '.',
  '../etc/passwd',
  'a/../../b',
  'a/./b',
  'a/..',
  '/../a',
  '%2e%2e/a',
  '%2E%2e/a',
  '.%2e/a',
  'a/%2e',
  'a%2f..%2fb',
  'a%2F%2E%2E%2Fb',
  '..%2fa',
  '..\\a',
  'a\\..\\b',
  '..%5ca',
  'a%5C..%5Cb',
  '%252e%252e/a',
  '%25252e%25252e%25252fa',
  '%zz/%2e%2e/a',
  '..?a',
  '..#a',
  '..%3fa',
  '.%09./a',
  '.%0a%0d./a',
  '%25%092e./a',
  'a%00.txt',
  `%${'25'.repeat(20)}2e%2e`,
];

describe('{+path} in a URI template', () => {
  const strict = parseUriTemplate('file:///{+path}');

  it.each(outside)('does not match %j', (path) => {
    expect(strict.match(`file:///${path}`)).toBeUndefined();
  });

  it.each([
    'a',
    'a/b.txt',
    '.env',
    'a/..b/c..',
    '...',
    'a/.../b',
    '/etc',
    'a%20b',
    '50%25',
    'a%2fb',
    'a\\b',
    'a?b=.&c=..',
  ])('matches %j', (path) => {
    expect(strict.match(`file:///${path}`)).toEqual({ path: decodeURIComponent(path) });
  });
});

describe('{name} in a URI template', () => {
  const template = parseUriTemplate('note://{id}');

  it.each(['..', '%2e%2e', '.%2E', '%252e%252e', 'a%2fb', 'a%5Cb', 'a%00'])('does not match %j', (id) => {
    expect(template.match(`note://${id}`)).toBeUndefined();
  });

  it.each([
    '..%20',
    '%20..',
    '.%20',
    '..%C2%A0',
    '..%1F',
    '%08..',
    '.%E2%80%8B.',
    '..%2520',
    '..%E3%80%80',
    '..%E3%85%A4',
    '%EF%BE%A0.%E1%85%9F.',
    '.%EF%B8%8F',
    '..%25E3%2585%25A4',
    '..;x',
    '.;',
    '..%20;a=b',
    '..%3Bx',
    '..%253Bx',
    '..%01x',
  ])('does not match dots with blanks or invisible characters, or before a semicolon: %j', (id) => {
    expect(template.match(`note://${id}`)).toBeUndefined();
    expect(parseUriTemplate('file:///{+path}').match(`file:///a/${id}/b`)).toBeUndefined();
  });

  it.each(['1', 'a.b', '...', 'a%20b', 'a;..', '..a;b', '%E3%85%A4'])('matches %j', (id) => {
    expect(template.match(`note://${id}`)).toEqual({ id: decodeURIComponent(id) });
  });
});

it('a resource is unknown under a path with dot segments', async () => {
  const registry = new ToolRegistry().registerResource({
    name: 'files',
    uriTemplate: 'file:///{+path}',
    handler: ({ variables }) => variables['path'],
  });
  const uri = 'file:///public/%2e%2e/secret';
  await expect(registry.readResource({ uri })).rejects.toThrow('Unknown resource');
});

describe('a URI template', () => {
  it('matches hostile URIs without backtracking', () => {
    const template = parseUriTemplate('weather://{city},{state},{country}');
    expect(template.match('weather://a,b,c')).toEqual({ city: 'a', state: 'b', country: 'c' });
    expect(template.match(`weather://${','.repeat(4_000)}/`)).toBeUndefined();
    expect(template.match(`weather://${'a,'.repeat(2_000)}/`)).toBeUndefined();
  });

  it('is rejected if nothing separates two variables', () => {
    expect(() => parseUriTemplate('x://{a}{b}')).toThrow(ErrInvalidModel);
    expect(() => parseUriTemplate('x://{a}-{b}')).not.toThrow();
  });

  it('is rejected when registered if two {+path} variables are ambiguous', () => {
    expect(() =>
      new ToolRegistry().registerResource({ name: 'x', uriTemplate: 'x:{+a}a{+b}', handler: () => '' }),
    ).toThrow(ErrInvalidModel);
  });

  it('does not match an encoded slash or a name of 10,000 characters', async () => {
    const registry = new ToolRegistry().registerResource({
      name: 'f',
      uriTemplate: 'file:///{name}',
      handler: ({ variables }) => variables['name'] ?? '',
    });
    await expect(registry.readResource({ uri: 'file:///..%2F..%2Fetc%2Fpasswd' })).rejects.toThrow(
      'Unknown resource',
    );
    await expect(registry.readResource({ uri: `file:///${'a'.repeat(10_000)}` })).rejects.toThrow(
      'Unknown resource',
    );
  });
});
