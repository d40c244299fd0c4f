import { apiKeys } from 'toolfold/web';

/** Reads callers and their keys from text such as `ada=<key>,grace=<key>`. A key has at least 32 characters. */
export function createAuth(text = '') {
  const keys = text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [clientId = '', key = ''] = entry.trim().split(/=(.*)/s);
      return { clientId, key };
    });
  if (keys.length === 0) throw new Error('Set API_KEYS to callers and their keys: API_KEYS=ada=<key>');
  return apiKeys({ keys });
}
