import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUriTemplate } from './resources.js';
import { runs } from '../../../../test/runs.js';

describe('{+path} in a URI template', () => {
  const strict = parseUriTemplate('file:///{+path}');

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
      '%20',
      '%1f',
      '%C2%A0',
      '%E3%85%A4',
      ';',
      '%09',
      'a',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const path = strict.match(`file:///${pieces.join('')}`)?.['path'];
        if (path === undefined) return;
        const trimmed = path
          .split('/')
          .map((segment) =>
            segment.replace(/;.*|[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}]/gsu, ''),
          )
          .join('/');
        for (const given of [path, trimmed, path.replaceAll('%2e', '.').replaceAll('%2E', '.')]) {
          const { pathname } = new URL(`http://host/folder/${given.replaceAll('\\', '/')}`);
          expect(pathname).toMatch(/^\/folder\//);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});
