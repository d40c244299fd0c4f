import { callerKey, isAnonymous, NOBODY, tenantKey } from '../../callers/caller-key.js';
import type { Caller } from '../../callers/caller.js';
import type { Learner } from '../../stores/search-learning.js';

/** The key of a tenant that the operator names. It differs from the keys that are made of claims. */
export function namedTenant(name: string): string {
  return `named ${name}`;
}

/**
 * The learner of a request. `tenant` is the one that the operator's `tenant` names; otherwise the tenant follows from verified claims.
 * All anonymous callers count as one, because a client can change its address at will.
 */
export function readLearner(caller: Caller | undefined, tenant: string | undefined): Learner {
  const key = callerKey(caller);
  return {
    tenant: tenant === undefined ? tenantKey(caller) : namedTenant(tenant),
    caller: isAnonymous(key) ? NOBODY : key,
    conversation: JSON.stringify([key, caller?.sessionId ?? null]),
  };
}
