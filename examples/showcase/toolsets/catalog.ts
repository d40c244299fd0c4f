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
      description: 'Separate books, each with its own currency',
      decisionCriteria: 'Creating or choosing a budget; the plan of a month is in categories',
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
      description: 'Categories of income and spending, and the budget of each month',
      decisionCriteria: 'Budgeting a month, or moving budgeted money between categories',
      tools: [categoriesTool(finance)],
    },
    payees: {
      name: 'Payees',
      description: 'Shops, companies and people who are paid or who pay',
      decisionCriteria: 'Renaming and merging payees, and the biggest merchants',
      tools: [payeesTool(finance)],
    },
    transactions: {
      name: 'Transactions',
      description: 'Single payments and receipts',
      decisionCriteria: 'Adding, finding, categorizing, splitting and correcting single payments',
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
      decisionCriteria: 'Categorizing by rules, and importing bank statements',
      tools: [rulesTool(finance), importsTool(finance)],
    },
    reports: {
      name: 'Reports',
      description:
        'Spending, cash flow, net worth, overspending, recurring payments, duplicates, and whether the books balance',
      decisionCriteria: 'Any question about totals, comparisons or patterns over time',
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
      description: 'Savings goals and their progress',
      decisionCriteria: 'Saving for something, and what-if questions about it',
      tools: [goalsTool(finance)],
    },
  } satisfies Record<ToolsetKey, ToolSetDefinition>;
}
