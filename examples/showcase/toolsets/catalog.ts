import type { ToolSetDefinition } from 'toolfold/web';
import type { ToolsetKey } from '../choices.js';
import type { Finance } from '../finance.js';
import { accountsTool } from './accounts.js';
import { budgetsTool } from './budgets.js';
import { categoriesTool } from './categories.js';
import { goalsTool } from './goals.js';
import { importsTool } from './imports.js';
import { marketTool } from './market.js';
import { payeesTool } from './payees.js';
import { reportsTool } from './reports.js';
import { rulesTool } from './rules.js';
import { transactionsTool } from './transactions.js';
import { transfersTool } from './transfers.js';

/** The ten toolsets. */
export function createCatalog(finance: Finance) {
  return {
    budgets: {
      name: 'Budgets',
      description: 'Separate books, each with a currency of its own',
      decisionCriteria: 'Creating or choosing a budget; not for amounts in it',
      tools: [budgetsTool(finance)],
    },
    accounts: {
      name: 'Accounts',
      description: 'Bank accounts, cards and cash, with their balances',
      decisionCriteria: 'Balances, opening, closing and reconciling accounts',
      tools: [accountsTool(finance)],
    },
    categories: {
      name: 'Categories',
      description: 'What money is spent on, and the plan for each month',
      decisionCriteria: 'Planning a month, or moving money between purposes',
      tools: [categoriesTool(finance)],
    },
    payees: {
      name: 'Payees',
      description: 'Who is paid, and who pays',
      decisionCriteria: 'Cleaning up names, and questions about one shop or person',
      tools: [payeesTool(finance)],
    },
    transactions: {
      name: 'Transactions',
      description: 'What was paid and received',
      decisionCriteria: 'Entering, finding and correcting single payments',
      tools: [transactionsTool(finance)],
    },
    transfers: {
      name: 'Transfers',
      description: 'Money that moves between own accounts',
      decisionCriteria: 'Moving money from one own account to another',
      tools: [transfersTool(finance)],
    },
    automation: {
      name: 'Automation',
      description: 'Rules for categories, and imports from a bank',
      decisionCriteria: 'Many transactions at once',
      tools: [rulesTool(finance), importsTool(finance)],
    },
    reports: {
      name: 'Reports',
      description: 'Spending, cash flow, net worth, and whether the books balance',
      decisionCriteria: 'Any question about sums over time',
      tools: [reportsTool(finance)],
    },
    market: {
      name: 'Market',
      description: 'Prices of shares and rates of currencies, generated',
      decisionCriteria: 'Prices and exchange rates',
      tools: [marketTool(finance)],
    },
    goals: {
      name: 'Goals',
      description: 'What is saved for, and how far it has come',
      decisionCriteria: 'Saving for something',
      tools: [goalsTool(finance)],
    },
  } satisfies Record<ToolsetKey, ToolSetDefinition>;
}
