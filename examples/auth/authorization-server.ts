/** A fake authorization server: it publishes its metadata and its key, and `grant` signs tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

export async function startAuthorizationServer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    const isKeys = request.url === '/jwks';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/jwks` }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    grant: (sub: string, scope: string, aud: string) =>
      new SignJWT({ sub, scope, client_id: 'example' })
        .setProtectedHeader({ alg: 'ES256', kid: 'first' })
        .setIssuer(issuer)
        .setAudience(aud)
        .setExpirationTime('5 minutes')
        .sign(privateKey),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
