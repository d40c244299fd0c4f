/** Whether a `Content-Type` says JSON. Parameters do not matter. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && JSON_TYPE.test(contentType);
}

/** A media type and parameters, of which no two types can be made. */
const JSON_TYPE = /^[\t ]*application\/json[\t ]*(?:;[^,]*)?$/i;
