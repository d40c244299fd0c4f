// Everything that a server with the code form loads when it starts. Import this file dynamically, because other servers do not need it.
export { createCodeView } from './code-form.js';
export { shareSandbox } from '../sandbox/shared-sandbox.js';
