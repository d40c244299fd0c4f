// Collects what the first search needs. Import it dynamically, because many processes never search.
export { answerSearch } from './answer-search.js';
export { answerDescribe, answerToolsets } from './describe-answers.js';
export { createFind } from './search-source.js';
