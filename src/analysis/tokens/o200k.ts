// A file of its own in the built package, because the vocabulary has 2 MB and only `toolfold tokens` needs it.
export { clearMergeCache, countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
