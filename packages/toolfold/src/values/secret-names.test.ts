import { describe, expect, it } from 'vitest';
import { createRedactor } from '../guards/redact/redactor.js';
import { isSecretName } from './secret-names.js';

const { text, value } = createRedactor();

describe('isSecretName', () => {
  it.each(
    `password Password PASSWORD passwd pwd passphrase pass db_pass userPassword dbpassword PGPASSWORD password2
    password_hash new-password secret clientSecret client_secret CLIENT_SECRET secret_id secrets token Token
    access_token accessToken ACCESS_TOKEN accesstoken refreshToken id_token csrf-token authToken x-auth-token
    access_tokens refreshTokens apiKey api_key api-key APIKey APIKEY apikey api.key X-Api-Key apiKeys
    private_key privateKey private_key_pem secretAccessKey aws_secret_access_key accessKeyId signing_key
    Ocp-Apim-Subscription-Key authorization Authorization Proxy-Authorization authorization_code cookie Cookie
    Set-Cookie cookies credential credentials creds session_id sessionId SESSIONID Mcp-Session-Id connect.sid
    PHPSESSID jsessionid sid jwt bearer otp connectionString X-Amz-Signature session_ids`.split(/\s+/),
  )('treats %s as secret', (name) => {
    expect(isSecretName(name)).toBe(true);
    expect(text(`at ${name}=abc1, ok`)).toMatch(/^at [^ ]+=\[redacted\]/);
    expect(value({ [name]: 'abc1' })).toEqual({ [name]: '[redacted]' });
  });

  it.each(
    `tokens max_tokens maxTokens input_tokens total_tokens token_count tokenCount token_limit token_ids tokenizer
    tokens_per_second nextPageToken page_token progressToken continuation_token token_type token_endpoint
    token_expires_in key keys value primary_key primaryKey foreign_key public_key cache_key idempotencyKey sortKey
    author authored_by authors authority auth keyboard monkey turkey passenger passport bypass compass
    boarding_pass passwordless password_policy passwordLength secretary secret_name cookie_policy session
    sessions authorization_servers name id email url path 42 _ username user_id workspace_id`.split(/\s+/),
  )('treats %s as harmless', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('accepts names that are empty, long or not words', () => {
    expect(isSecretName('')).toBe(false);
    expect(isSecretName('🔑')).toBe(false);
    expect(isSecretName('A'.repeat(1_000_000))).toBe(false);
    expect(isSecretName(`${'x_'.repeat(500_000)}password`)).toBe(true);
    expect(isSecretName('p_a-s.s_w_o_r_d')).toBe(true);
  });

  it('gives the same answers after more names than it caches', () => {
    for (let index = 0; index < 5_000; index++) isSecretName(`field${index}x`);
    expect(isSecretName('password')).toBe(true);
    expect(isSecretName('author')).toBe(false);
  });
});
