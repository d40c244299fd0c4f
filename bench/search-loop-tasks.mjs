/** @typedef {{ query: string, address: string, arguments: Readonly<Record<string, unknown>> }} Step a query, the tool that does it, and a call */
/** @typedef {{ title: string, steps: readonly Step[] }} Loop a task that a model does with one call per step */

const repository = { owner: 'octo', repo: 'site' };

/** Tasks over the 117 tools of GitHub's server. @type {readonly Loop[]} */
export const gitHubLoops = [
  {
    title: 'open issues',
    steps: [
      {
        query: 'list the open issues of a repository',
        address: 'list_issues',
        arguments: { ...repository, state: 'OPEN' },
      },
    ],
  },
  {
    title: 'merge a pull request',
    steps: [
      {
        query: 'merge a pull request as one commit',
        address: 'merge_pull_request',
        arguments: { ...repository, pullNumber: 7, merge_method: 'squash' },
      },
    ],
  },
  {
    title: 'what changed since the release',
    steps: [
      { query: 'find the latest release', address: 'get_latest_release', arguments: repository },
      {
        query: 'list the commits of a branch',
        address: 'list_commits',
        arguments: { ...repository, sha: 'main' },
      },
    ],
  },
  {
    title: 'change a file in a pull request',
    steps: [
      { query: 'create a branch', address: 'create_branch', arguments: { ...repository, branch: 'fix' } },
      {
        query: 'write a new version of a file',
        address: 'create_or_update_file',
        arguments: { ...repository, path: 'a.md', content: 'New', message: 'Fix', branch: 'fix' },
      },
      {
        query: 'create a pull request for a branch',
        address: 'create_pull_request',
        arguments: { ...repository, title: 'Fix', head: 'fix', base: 'main' },
      },
    ],
  },
  {
    title: 'answer a bug report',
    steps: [
      { query: 'search the code for a text', address: 'search_code', arguments: { query: 'parseDate' } },
      {
        query: 'comment on an issue',
        address: 'add_issue_comment',
        arguments: { ...repository, issue_number: 9, body: 'Found it' },
      },
    ],
  },
];

/** Tasks over the 72 actions of examples/showcase. @type {readonly Loop[]} */
export const showcaseLoops = [
  {
    title: 'spending of a month',
    steps: [
      {
        query: 'how much did I spend on groceries last month',
        address: 'reports/spending',
        arguments: { month: '2026-02' },
      },
    ],
  },
  {
    title: 'a transfer',
    steps: [
      {
        query: 'move 50 euros from checking to savings',
        address: 'transfers/make',
        arguments: { from_account: 'Checking', to_account: 'Savings', amount: '50.00' },
      },
    ],
  },
  {
    title: 'sort payments into categories',
    steps: [
      {
        query: 'list transactions without a category',
        address: 'transactions/list',
        arguments: { uncategorized: true },
      },
      {
        query: 'put transactions into a category',
        address: 'transactions/categorize',
        arguments: { transaction_ids: [12, 15], category: 'Groceries' },
      },
    ],
  },
  {
    title: 'save for a holiday',
    steps: [
      {
        query: 'set aside money for a holiday',
        address: 'goals/contribute',
        arguments: { goal: 'Holiday', amount: '100.00' },
      },
      { query: 'progress of a savings goal', address: 'goals/get', arguments: { goal: 'Holiday' } },
    ],
  },
  {
    title: 'a bank statement',
    steps: [
      {
        query: 'import a CSV from my bank',
        address: 'imports/run',
        arguments: { account: 'Checking', csv: 'date,amount' },
      },
      {
        query: 'mark transactions as cleared',
        address: 'transactions/mark_cleared',
        arguments: { transaction_ids: [12] },
      },
      {
        query: 'compare an account with the balance of the bank',
        address: 'accounts/reconcile',
        arguments: { account: 'Checking', bank_balance: '812.40' },
      },
    ],
  },
];
