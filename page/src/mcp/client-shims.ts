/**
 * Takes the place of the parts that the MCP client chooses by runtime. Its own parts for browsers contain a JSON Schema validator of
 * 7 kB gzipped, which the page never uses: it shows results as the server sends them.
 */

/** Whether a failed request may be a rejected request to another origin. */
export const CORS_IS_POSSIBLE = true;

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The page does not validate results.');
  }
}
