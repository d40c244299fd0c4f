// Everything that a first search loads. Import this file dynamically, because a process that never searches does not need it.
export { answerSearch } from './answer-search.js';
export { answerDescribe, answerToolsets } from './describe-answers.js';
export { listenTo, noteCall } from './learning.js';
export { createFind } from './search-source.js';
