/** Members of JavaScript values that programs use. A model knows them. */
const builtIn = new Set(
  `abs all at ceil concat entries every filter find flat flatMap floor fromEntries getUTCDay has includes join keys length map max min
  padStart push reduce round slice some sort split startsWith toFixed toSorted toString trim values replace`.split(
    /\s+/,
  ),
);

/**
 * Words of a program that a model can only know from what it has read: paths of tools, fields of results and arguments. Fields of
 * objects that the program itself creates are known.
 */
export function unseenNames(code: string, seen: string): string[] {
  const withoutTexts = code.replaceAll(/'[^']*'|"[^"]*"/g, "''");
  const own = new Set([...withoutTexts.matchAll(/\b(\w+):/g)].map(([, name]) => name));
  const members = [...withoutTexts.matchAll(/\.\s*([a-z_]\w*)/gi)].map(([, name = '']) => name);
  const fields = [...withoutTexts.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name);
  const wanted = new Set([...fields, ...members.filter((name) => !builtIn.has(name) && !own.has(name))]);
  return [...wanted].filter((name) => !new RegExp(`(?<![a-z0-9])${name}(?![a-z0-9_])`, 'i').test(seen));
}
