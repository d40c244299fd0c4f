import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../registry/tool-registry.js';
import { parseUriTemplate } from './resources.js';
import { runs } from '../../test/runs.js';
import { ErrInvalidModel } from '../errors.js';

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

  it('never leaves the folder that a URL parser or a decoder resolves its value in', () => {
    const piece = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2E',
      '%2f',
      '%5c',
      '%25',
      '2e',
      '\t',
      '%09',
      'a',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const path = strict.match(`file:///${pieces.join('')}`)?.['path'];
        if (path === undefined) return;
        for (const given of [path, path.replaceAll('%2e', '.').replaceAll('%2E', '.')]) {
          const { pathname } = new URL(`http://host/folder/${given.replaceAll('\\', '/')}`);
          expect(pathname).toMatch(/^\/folder\//);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('{name} in a URI template', () => {
  const template = parseUriTemplate('note://{id}');

  it.each(['..', '%2e%2e', '.%2E', '%252e%252e', 'a%2fb', 'a%5Cb', 'a%00'])('does not match %j', (id) => {
    expect(template.match(`note://${id}`)).toBeUndefined();
  });

  it.each(['1', 'a.b', '...', 'a%20b'])('matches %j', (id) => {
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
