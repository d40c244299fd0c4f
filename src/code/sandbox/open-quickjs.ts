// Import this file dynamically. The bundler would add a file with its helper to every start for a file that others import too.
export { createQuickJsSandbox } from './quickjs-sandbox.js';
