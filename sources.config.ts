import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('packages', import.meta.url));

/** The sources of the packages by name, for what runs sources: the tests and the build of the page. */
export const alias = [
  { find: /^toolfold$/, replacement: `${packages}/toolfold/src/index.ts` },
  { find: /^toolfold\/([a-z]+)$/, replacement: `${packages}/toolfold/src/$1.ts` },
  { find: /^@toolfold\/([a-z]+)$/, replacement: `${packages}/$1/src/index.ts` },
  { find: /^@toolfold\/([a-z]+)\/([a-z]+)$/, replacement: `${packages}/$1/src/$2.ts` },
];
