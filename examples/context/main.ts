/** Calls the helpdesk. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region call
import { createCaller } from 'toolfold';
import { createHelpdesk } from './tickets.js';

const helpdesk = createHelpdesk({ tickets: new Map(), people: new Map([['secret', 'ada']]) });
const ada = createCaller(helpdesk, { accessToken: 'secret' });
const opened = await ada.tickets.open({ id: 't1', title: 'No light' });
console.log(opened.content);
const { titles } = await ada.tickets.list();
const { count } = await ada.count_tickets({ closed: false });
console.log(titles, count);
const prompt = await helpdesk.getPrompt({ name: 'triage', arguments: { team: 'ops' } });
console.log(prompt.messages[0]?.content);
const resource = await helpdesk.readResource({ uri: 'ticket://t1' });
console.log(resource.contents);
// #endregion call
assert.deepEqual(titles, ['No light']);
assert.equal(count, 1);
