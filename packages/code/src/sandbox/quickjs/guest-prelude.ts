import type { CodeLimits } from '../sandbox.js';

/**
 * Runs in the guest before the code of the model. The code may replace `JSON`, `Promise` or any prototype, so the prelude captures the
 * built-in functions that it needs, calls no methods of objects that the code can change, and joins its answers from text. Only the host
 * calls the functions that it returns. Their state is in closures, so it is part of every snapshot.
 */
const PRELUDE = String.raw`((maxCalls, maxInput, maxLogs, maxResult, askHost) => {
'use strict';
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { create, defineProperty, freeze } = Object;
const { slice } = String.prototype;
const { add, has } = WeakSet.prototype;
const { now } = Date;
const { get: getEntry, set: setEntry, delete: deleteEntry, forEach: forEachEntry } = Map.prototype;
const { forEach: forEachItem } = Set.prototype;
const NativeError = Error, NativeMap = Map, NativePromise = Promise, NativeProxy = Proxy, NativeRangeError = RangeError, NativeSet = Set, NativeTypeError = TypeError;
const callErrors = new WeakSet();
const pending = create(null);
// The rejected promises that nothing handles, with their reasons.
const unhandled = new NativeMap();
// The calls of a step reach the host in one message, so their total size is limited too.
const maxInputs = 4 * maxInput;
let calls = '', logs = '', end = 'null', value, hasSettled = false, hasLost = false, count = 0, waiting = 0, logsLeft = maxLogs;

for (const name of ['SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'performance', 'queueMicrotask'])
  delete globalThis[name];
// A function there would get the functions of this prelude from the stack.
delete NativeError.prepareStackTrace;

const cut = (text, length) => (text.length > length ? apply(slice, text, [0, length]) : text);
const define = (target, name, value, enumerable) =>
  defineProperty(target, name, { __proto__: null, value, enumerable, writable: true, configurable: true });

// JSON would write these values as {}, and code that forgot an await would not notice.
const adviceFor = (value) => {
  if (typeof value === 'bigint') return 'a bigint. Write Number(value) or String(value).';
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof NativePromise) return 'a promise. Await it, or a list of promises with Promise.all(list).';
  if (value instanceof NativeMap) return 'a Map. Write Object.fromEntries(map).';
  return value instanceof NativeSet ? 'a Set. Write [...set].' : undefined;
};
const checkValue = (key, value) => {
  const advice = adviceFor(value);
  if (advice !== undefined)
    throw new NativeTypeError((key === '' ? 'It is ' : '"' + cut(key, 100) + '" is ') + advice);
  return value;
};
let isWriting = false;
const write = (value, replacer) => {
  isWriting = true;
  try {
    return stringify(value, replacer);
  } finally {
    isWriting = false;
  }
};

// A promise that the code did not await has no members of its value. To read undefined instead of an error would hide the mistake.
const { get: getMemberOf, has: hasKey, setPrototypeOf } = Reflect;
const refusePromise = (use = '.') => { throw new NativeTypeError('This is a promise. Await it first' + use); };
const readPromise = (target, key, self) => {
  if (key === Symbol.toPrimitive || key === Symbol.iterator || key === Symbol.asyncIterator) refusePromise();
  if (typeof key === 'symbol' || hasKey(target, key)) return getMemberOf(target, key, self);
  // JSON reads this member. What the bridge writes has advice of its own.
  if (key === 'toJSON') return isWriting ? undefined : refusePromise();
  refusePromise(': (await …).' + cut(key, 100));
};
setPrototypeOf(NativePromise.prototype, new NativeProxy(create(Object.prototype), {
  __proto__: null,
  get: readPromise,
  has: (target, key) => typeof key === 'symbol' || hasKey(target, key) ? hasKey(target, key) : refusePromise(),
  ownKeys: () => refusePromise(),
}));
for (const name of ['keys', 'values', 'entries']) {
  const list = Object[name];
  define(Object, name, { [name](value) {
    return value instanceof NativePromise ? refusePromise(': Object.' + name + '(await …)') : list(value);
  } }[name], false);
}
// A spread copies own members only, and symbols too.
const spread = Symbol();

const fillError = (error, name, message, code, suggestions) => {
  define(error, 'name', name, false);
  define(error, 'message', message, false);
  define(error, 'code', code, true);
  define(error, 'suggestions', suggestions, true);
  apply(add, callErrors, [error]);
  return error;
};

const startCall = (path, args) => {
  const call = new NativePromise((resolve, reject) => {
    // Made here, because the stack of this error then names the line of the call.
    const error = new NativeError('');
    if (args.length > 1)
      throw new NativeTypeError('tools.' + path + ' takes one argument, an object. Got ' + args.length + ' arguments.');
    let input;
    if (args.length === 1 && args[0] !== undefined) {
      input = write(args[0], checkValue);
      if (input === undefined)
        throw new NativeTypeError('The argument of tools.' + path + ' must be an object of JSON values. Got a ' + typeof args[0] + '.');
      if (input.length > maxInput)
        throw fillError(error, 'ErrValidationFailed', 'The argument of tools.' + path + ' exceeds the ' + maxInput + ' bytes that a call can take.', 'ErrValidationFailed', ['Pass less data in one call.']);
    }
    if (count >= maxCalls)
      throw fillError(error, 'ErrCallNotAllowed', 'The code has made ' + maxCalls + ' calls, which is the limit of a run.', 'ErrCallNotAllowed', ['Make fewer calls, or split the work into several runs.']);
    if (input !== undefined && calls.length + input.length > maxInputs)
      throw fillError(error, 'ErrCallNotAllowed', 'The arguments of the calls that the code starts at once exceed ' + maxInputs + ' bytes.', 'ErrCallNotAllowed', ['Await some calls before you start others.']);
    count += 1;
    waiting += 1;
    pending[count] = { __proto__: null, resolve, reject, error };
    calls += (calls === '' ? '' : ',') + '{"id":' + count + ',"path":' + stringify(path) +
      (input === undefined ? '' : ',"input":' + stringify(input)) + '}';
  });
  return defineProperty(call, spread, { __proto__: null, enumerable: true, get: () => refusePromise(': ...(await …)') });
};

const getMember = (path, key) => {
  if (key === Symbol.toPrimitive) return () => 'tools' + (path === '' ? '' : '.' + path);
  if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
  const next = path === '' ? key : path + '.' + key;
  if (next.length > 1000) throw new NativeTypeError('The name of a tool has at most 1,000 characters.');
  return makeTool(next);
};
const refuse = () => false;
const refuseList = () => { throw new NativeTypeError('tools cannot be listed. Call search_tools outside of the code to find functions.'); };
const makeTool = (path) =>
  new NativeProxy(() => {}, {
    __proto__: null,
    get: (target, key) => getMember(path, key),
    apply: (target, self, args) => startCall(path, args),
    set: refuse, defineProperty: refuse, deleteProperty: refuse, setPrototypeOf: refuse, preventExtensions: refuse, ownKeys: refuseList, has: refuseList,
  });
const tools = new NativeProxy(create(null), {
  __proto__: null,
  get: (target, key) => getMember('', key),
  set: refuse, defineProperty: refuse, deleteProperty: refuse, setPrototypeOf: refuse, preventExtensions: refuse, ownKeys: refuseList, has: refuseList,
});

const readText = (value, name, length) => {
  try {
    const text = value[name];
    return typeof text === 'string' ? cut(text, length) : undefined;
  } catch {
    return undefined;
  }
};

// JSON would write these values as {}.
const showPart = (key, value) => {
  if (typeof value === 'bigint') return value + 'n';
  if (value instanceof NativePromise) return '[Promise: await it]';
  if (value instanceof NativeError) return show(value);
  if (!(value instanceof NativeMap || value instanceof NativeSet)) return value;
  const items = [];
  const isMap = value instanceof NativeMap;
  apply(isMap ? forEachEntry : forEachItem, value, [(item, name) => define(items, items.length, isMap ? [name, item] : item, true)]);
  return items;
};
const show = (value) => {
  try {
    switch (typeof value) {
      case 'string': return value;
      case 'function': return '[Function]';
      case 'symbol': return '[Symbol]';
      case 'bigint': return value + 'n';
      case 'object': {
        if (value === null) return 'null';
        if (value instanceof NativeError)
          return (readText(value, 'name', 200) ?? 'Error') + ': ' + (readText(value, 'message', 2000) ?? '');
        return write(value, showPart) ?? '[Object]';
      }
      default: return '' + value;
    }
  } catch {
    return '[Object]';
  }
};

const log = (...values) => {
  let line = '';
  for (let index = 0; index < values.length; index += 1) {
    line += (index === 0 ? '' : ' ') + show(values[index]);
    if (line.length > logsLeft) break;
  }
  if (line.length + 1 > logsLeft) {
    hasLost = true;
    if (logsLeft < 2) return;
    line = cut(line, logsLeft - 1);
  }
  logsLeft -= line.length + 1;
  logs += (logs === '' ? '' : ',') + stringify(line);
};

// QuickJS has no Intl: its own functions ignore locales and options. The host formats and compares instead.
const localize = (type, name, given, locales, options, other = '') => {
  const value = '' + given;
  const choice = locales === undefined && options === undefined ? '' : stringify([locales, options]);
  if (value.length + other.length + choice.length > 10000)
    throw new NativeRangeError(name + ' takes at most 10,000 characters here.');
  const answer = askHost(type, name, value, choice, other);
  const text = apply(slice, answer, [1]);
  if (answer[0] === '!') throw new NativeRangeError(text);
  return text;
};
const localizeMembers = ({ prototype }, type, read, names) => {
  for (const name of names)
    define(prototype, name, { [name](locales, options) { return localize(type, name, apply(read, this, []), locales, options); } }[name], false);
};
localizeMembers(Number, 'number', Number.prototype.valueOf, ['toLocaleString']);
localizeMembers(BigInt, 'bigint', BigInt.prototype.valueOf, ['toLocaleString']);
localizeMembers(Date, 'date', Date.prototype.getTime, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']);
localizeMembers(String, 'string', String.prototype.valueOf, ['toLocaleUpperCase', 'toLocaleLowerCase']);
define(String.prototype, 'localeCompare', { localeCompare(other, locales, options) {
  return +localize('string', 'localeCompare', this, locales, options, '' + other);
} }.localeCompare, false);
for (const { prototype } of [Array, Object.getPrototypeOf(Int8Array)]) define(prototype, 'toLocaleString', { toLocaleString(locales, options) {
  let text = '';
  for (let index = 0; index < this.length; index += 1)
    text += (index === 0 ? '' : ',') + (this[index] ?? '').toLocaleString(locales, options);
  return text;
} }.toLocaleString, false);

const describe = (kind, error) => {
  const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function';
  const name = isObject ? readText(error, 'name', 200) : undefined;
  const message = isObject ? readText(error, 'message', 2000) : undefined;
  const stack = isObject ? readText(error, 'stack', 4000) : undefined;
  const code = isObject && apply(has, callErrors, [error]) ? readText(error, 'code', 200) : undefined;
  return '{"kind":"' + kind + '","name":' + stringify(name ?? 'Error') + ',"message":' +
    stringify(message ?? cut(show(error), 2000)) + (stack === undefined ? '' : ',"stack":' + stringify(stack)) +
    (code === undefined ? '' : ',"code":' + stringify(code)) + '}';
};
const UNKNOWN = '{"kind":"thrown","name":"Error","message":"The code threw an error that cannot be read."}';

const watch = async (result) => {
  try {
    value = await result;
    hasSettled = true;
  } catch (error) {
    end = UNKNOWN;
    end = describe('thrown', error);
  }
};

const reject = (promise, reason, isHandled) => {
  if (isHandled) apply(deleteEntry, unhandled, [promise]);
  else apply(setEntry, unhandled, [promise, reason]);
};

// Called when nothing is pending. Work that the code did not await may have filled its value, or failed.
const finish = () => {
  let failure;
  apply(forEachEntry, unhandled, [(reason) => { failure ??= describe('unhandled', reason); }]);
  if (failure !== undefined || !hasSettled) {
    end = failure ?? 'null';
    return;
  }
  try {
    const text = value === undefined ? undefined : write(value, checkValue);
    if (text === undefined) end = '{"kind":"value"}';
    else if (text.length > maxResult) end = '{"kind":"large","size":' + text.length + '}';
    else end = '{"kind":"value","value":' + stringify(text) + '}';
  } catch (error) {
    end = UNKNOWN;
    end = describe('result', error);
  }
};

const settle = (id, isError, text) => {
  const call = pending[id];
  if (call === undefined) return;
  delete pending[id];
  waiting -= 1;
  let value;
  try {
    value = text === undefined ? undefined : parse(text);
  } catch (error) {
    call.reject(error);
    return;
  }
  if (isError) call.reject(fillError(call.error, value.name, value.message, value.code, value.suggestions));
  else call.resolve(value);
};

const drain = () => {
  if (end === 'null' && waiting === 0) finish();
  const text = '{"calls":[' + calls + '],"logs":[' + logs + '],"hasLost":' + hasLost + ',"waiting":' + waiting + ',"end":' + end + '}';
  calls = '';
  logs = '';
  return text;
};

const times = new NativeMap(), counts = new NativeMap();
const timeLog = (label = 'default') => {
  const start = apply(getEntry, times, [label]);
  log(show(label) + ': ' + (start === undefined ? 'not started' : now() - start + ' ms'));
};
const ignore = () => {};
const console = {
  log, info: log, warn: log, error: log, debug: log, table: log, dir: log, dirxml: log, trace: log, group: log, groupCollapsed: log,
  groupEnd: ignore, clear: ignore, profile: ignore, profileEnd: ignore, timeStamp: ignore,
  time(label = 'default') { apply(setEntry, times, [label, now()]); },
  timeLog, timeEnd: timeLog,
  count(label = 'default') {
    const times = (apply(getEntry, counts, [label]) ?? 0) + 1;
    apply(setEntry, counts, [label, times]);
    log(show(label) + ': ' + times);
  },
  countReset(label = 'default') { apply(setEntry, counts, [label, 0]); },
  assert(condition, ...values) { if (!condition) log('Assertion failed', ...values); },
};
defineProperty(globalThis, 'tools', { __proto__: null, value: tools, enumerable: true });
defineProperty(globalThis, 'console', { __proto__: null, value: freeze(console), writable: true, configurable: true });
return { __proto__: null, watch, settle, drain, reject };
})`;

export const bridgeNames = ['watch', 'settle', 'drain', 'reject'] as const;
export type BridgeName = (typeof bridgeNames)[number];

/** Returns the prelude as a function of `localize`. The guest checks these limits itself before anything crosses to the host. */
export function preludeFor({ calls, callBytes, logBytes, resultBytes }: CodeLimits): string {
  return `(localize) => ${PRELUDE}(${calls},${callBytes},${logBytes},${resultBytes},localize)`;
}

/** Increment it with every change of the prelude, so that no run continues under the prelude of another version. */
export const PRELUDE_VERSION = 8;
