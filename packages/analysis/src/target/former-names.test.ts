import { expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { listView } from './list-tools.js';

it('lists former names as they are called in the form: actions of a flat tool by the name of that tool', () => {
  const handler = () => 'ok';
  const registry = new ToolRegistry({ name: 'team', version: '1.0.0' }).register(
    new GroupedToolBuilder('tasks', { aliases: ['jobs'] })
      .description('Tasks of a team')
      .action({ name: 'complete', aliases: ['finish'], description: 'Marks a task as done', handler }),
    { name: 'find', aliases: ['search'], description: 'Finds tasks', inputSchema: {}, handler },
  );
  const aliasesIn = (form: 'flat' | 'grouped') =>
    listView(registry.view({ form })).map(({ tool, aliases, actions }) => [
      tool.name,
      aliases,
      actions.map((action) => action.aliases),
    ]);
  expect(aliasesIn('flat')).toEqual([
    ['tasks_complete', ['tasks_finish', 'jobs_complete', 'jobs_finish'], []],
    ['find', ['search'], []],
  ]);
  expect(aliasesIn('grouped')).toEqual([
    ['tasks', ['jobs'], [['finish']]],
    ['find', ['search'], []],
  ]);
});
