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

test('shows runs of a hidden character as one mark', () => {
  const shown = JSON.stringify(visibleText(`a${'\u200B'.repeat(500)}b\u{e0041}\u{e0041}\u200B`));
  expect(shown.match(/U\+\w+(?: ×\d+)?/g)).toEqual(['U+200B ×500', 'U+E0041 ×2', 'U+200B']);
});

test('limits the marks of a text, and says how many hidden characters it leaves out', () => {
  const nodes = visibleText(`${'\u200B\u202E'.repeat(40_000)} end`) as unknown[];
  expect(nodes.length).toBeLessThan(500);
  const shown = JSON.stringify(nodes);
  expect(shown).toContain('79,700 more hidden characters');
  expect(shown).not.toMatch(/[\u200B\u202E]/);
  expect(nodes.at(-1)).toBe(' end');
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
