/**
 * Replaces the parts that the MCP client selects by runtime. Its parts for browsers contain a JSON Schema validator of 7 kB
 * gzipped, which the page does not need because it shows results unvalidated.
 */

/** Whether a failed request may be a rejected request to another origin. */
export const CORS_IS_POSSIBLE = true;

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The page does not validate results.');
  }
}
