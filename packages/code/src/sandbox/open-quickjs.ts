// Import this file dynamically. The bundler would load a file that others import too, and its helper, at every start.
export { createQuickJsSandbox } from './quickjs-sandbox.js';
