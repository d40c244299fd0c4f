import { expect, test } from 'vitest';
import { isWebLink, plainText, visibleText } from './text.js';

test('replaces hidden characters by their names, so that they cannot reorder the text', () => {
  const shown = JSON.stringify(visibleText('pay\u202Eeurt\u200B now'));
  expect(shown).toContain('U+202E');
  expect(shown).toContain('U+200B');
  expect(shown).not.toContain('\u202E');
});

test('keeps the title of the window short and free of characters that reorder it', () => {
  expect(plainText('evil\u202Egnp.exe\u200B')).toBe('evilU+202Egnp.exeU+200B');
  expect(plainText('a'.repeat(5_000)).length).toBeLessThan(130);
});

test('leaves ordinary text of any language as it is', () => {
  for (const text of ['Größe', 'שלום', '日本語', 'line\nbreak']) expect(visibleText(text)).toBe(text);
});

test('cuts texts that would freeze the page', () => {
  expect(String(visibleText('a'.repeat(1_000_000))).length).toBeLessThan(100_010);
});

test('makes links of web addresses alone', () => {
  expect(isWebLink('https://example.com/a?b=c')).toBe(true);
  for (const href of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    ' https://a b',
    'https://',
  ])
    expect(isWebLink(href), href).toBe(false);
});
