/**
 * Checks JSON Schemas and validates values with them, without network or file access. Exits with an error if an
 * assertion fails.
 */
import assert from 'node:assert/strict';
import { DefaultValidator, ToolfoldError } from 'toolfold';
import { Tool } from 'toolfold/model';

// #region validate
const validator = new DefaultValidator();
const transfer = new Tool({
  name: 'transfer',
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'number', multipleOf: 0.01 }, to: { type: 'string' } },
    required: ['amount', 'to'],
    additionalProperties: false,
  },
});
console.log(JSON.stringify(validator.validateInput(transfer, { amount: 19.99, to: 'savings' })));
console.log(JSON.stringify(validator.validateInput(transfer, { amount: 19.999, note: 'rent' })));
// #endregion
assert.equal(validator.validateInput(transfer, { amount: 19.99, to: 'savings' }).ok, true);
assert.equal(validator.validateInput(transfer, { amount: 19.999, note: 'rent' }).ok, false);

// #region rejected
for (const schema of [
  { $ref: 'https://schemas.example/money.json' },
  { $schema: 'http://json-schema.org/draft-04/schema#' },
  { type: 'object', properties: { amount: { type: 'money' } } },
  { anyOf: [{ $ref: '#' }] },
]) {
  try {
    validator.compile(schema);
    assert.fail('was accepted');
  } catch (error) {
    console.log(String(error));
    assert(error instanceof ToolfoldError);
  }
}
// #endregion

// #region dialects
const dependent = { dependencies: { card: ['expiry'] } };
const inDraft07 = validator.compile({ $schema: 'http://json-schema.org/draft-07/schema#', ...dependent });
const in2020 = validator.compile(dependent);
console.log(inDraft07({ card: '4111' }).ok, in2020({ card: '4111' }).ok);
// #endregion
assert.equal(inDraft07({ card: '4111' }).ok, false);
assert.equal(in2020({ card: '4111' }).ok, true);
