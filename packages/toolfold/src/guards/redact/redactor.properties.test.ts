import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.js';
import { findAssignments } from './find-patterns.js';
import type { Span } from './find-literals.js';
import { enough, runs } from '../../../../../test/runs.js';
import { encodingsOf } from '../../../test/guards/redactor-setup.js';

const MARK = '[redacted]';
const { text } = createRedactor();

describe('text: shapes of credentials', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

  it('changes nothing when applied again', () => {
    const part = fc.constantFrom(
      ...'password token Authorization cookie = " \' \\ \\" [ ] { } : // abc123 @ , ; & %3D %22 -- *** Basic'.split(
        ' ',
      ),
      ': ',
      '\n',
      ' ',
      'Bearer ',
      MARK,
      jwt,
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 20 }),
        fc.array(fc.constantFrom('abc1', 'hunter2', '****', '<hid'), { maxLength: 4 }),
        (parts, credentials) => {
          const redactor = createRedactor(credentials);
          const clean = redactor.text(`begin ${parts.join('')}`);
          expect(redactor.text(clean)).toBe(clean);
          expect(clean.startsWith('begin ')).toBe(true);
          for (const credential of credentials) expect(clean).not.toContain(credential);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});

describe('text: given credentials', () => {
  it('leaves no part of a credential that the truncation of a long text splits', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.+/=%&"\\'), minLength: 6, maxLength: 200 }),
        fc.nat(),
        fc.nat({ max: 12_000 }),
        fc.integer({ min: 1, max: 400 }),
        (secret, pick, earlier, before) => {
          fc.pre(secret.trim().length >= 6);
          const forms = encodingsOf(secret);
          const form = forms[pick % forms.length] as string;
          // Credentials before the truncation make the text shorter, so that its end moves forward.
          const start = `${`${form} `.repeat(earlier / (form.length + 1))}§`;
          const filling = ' '.repeat(16_384 - start.length - before);
          const clean = createRedactor([secret]).text(`${start}${filling}${form}${' '.repeat(9_000)}`);
          expect(clean.slice(clean.indexOf('§'))).toMatch(/^§? *…$/);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('no credential is left', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~+/=!@#$%^&*() "\\';
  const likely = fc.string({ unit: fc.constantFrom(...letters), minLength: 4, maxLength: 80 });
  const any = fc.string({ unit: 'binary', minLength: 4, maxLength: 40 });
  const credential = fc.oneof(likely, any).filter((given) => given.trim().length >= 4);

  function plant(secret: string): unknown {
    const inner = Object.assign(new Error(`inner ${secret}!`), { response: { body: `<p>${secret}</p>` } });
    return Object.assign(
      new AggregateError([inner, secret, { [secret]: 1 }], `failed with ${secret} at`, {
        cause: new Error(`why (${secret})`, {
          cause: { list: [[`${secret}${secret}`]], [`k ${secret}`]: 2 },
        }),
      }),
      {
        details: {
          map: new Map([[secret, new Set([secret])]]),
          password: secret,
          url: `https://h/?q=${secret}`,
        },
        json: `{"q":${JSON.stringify(secret)},"z":1}`,
        header: `Basic ${Buffer.from(`u:${secret}`).toString('base64')}`,
        fn: Object.assign(() => secret, { secret }),
        symbol: Symbol(secret),
      },
    );
  }

  it('in values, errors, details, names and causes', () => {
    fc.assert(
      fc.property(credential, fc.nat(), (secret, pick) => {
        const redactor = createRedactor([secret]);
        const forms = encodingsOf(secret);
        // A short credential may occur in the words and brackets of the test by chance.
        fc.pre(forms.every((form) => !JSON.stringify(redactor.value(plant('#'))).includes(form)));
        const planted = forms[pick % forms.length] as string;
        const clean = JSON.stringify(redactor.value([plant(secret), plant(planted)]));
        for (const form of forms) expect(clean).not.toContain(form);
      }),
      { numRuns: runs(150) },
    );
  });

  it('in texts, in any form and any context, and a second search finds nothing', () => {
    fc.assert(
      fc.property(
        fc.array(credential, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(fc.nat({ max: 39 }), fc.string({ maxLength: 8 })), { maxLength: 8 }),
        (secrets, parts) => {
          const forms = secrets.flatMap((secret) => encodingsOf(secret));
          const message = parts
            .map((part) => (typeof part === 'number' ? forms[part % forms.length] : part))
            .join('');
          const redactor = createRedactor(secrets);
          const clean = redactor.text(message);
          for (const form of forms) expect(clean).not.toContain(form);
          expect(redactor.text(clean)).toBe(clean);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});

it('finds every assignment to a secret name despite the fast check', () => {
  const pieces =
    'api|Key|keys| |id|session|token|pass|word|secret|cookie|auth|-|_|.|"|]|\\|:|=|=>|%3A|%3d|--|value|0'
      .split('|')
      .concat("'", '\t', 'x'.repeat(60));
  let found = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const given = parts.join('');
      const spans: Span[] = [];
      findAssignments(given, spans);
      if (spans.length === 0) return;
      found++;
      expect(text(given)).toContain(MARK);
    }),
    { numRuns: runs(5_000) },
  );
  expect(found).toBeGreaterThan(enough(100));
});
