import { describe, expect, it } from 'vitest';
import { variablesOf } from './uri-template.js';

describe('a template of resources', () => {
  it('names its variables once, in order', () => {
    expect(variablesOf('demo://{shop}/orders/{id}{?page,size*}{&page}{+path:3}')).toEqual([
      'shop',
      'id',
      'page',
      'size',
      'path',
    ]);
    expect(variablesOf('demo://plain')).toEqual([]);
  });
});
