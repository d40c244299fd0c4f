/** Internal API for the other packages of Toolfold. It may change in any version. */

/** The page shows the declarations that code gets. */
export { declareActions, schemasOf, signatureOf } from './declarations/declare-actions.js';
/** The page shows the paths by which code calls actions. */
export { readPaths } from './form/tool-paths.js';
