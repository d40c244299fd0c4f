/** The modules of `financial-modeling-prep-mcp-server` from npm. Each registers its tools on a server. */
import { registerAnalystTools } from 'financial-modeling-prep-mcp-server/dist/tools/analyst.js';
import { registerBulkTools } from 'financial-modeling-prep-mcp-server/dist/tools/bulk.js';
import { registerCalendarTools } from 'financial-modeling-prep-mcp-server/dist/tools/calendar.js';
import { registerChartTools } from 'financial-modeling-prep-mcp-server/dist/tools/chart.js';
import { registerCommodityTools } from 'financial-modeling-prep-mcp-server/dist/tools/commodity.js';
import { registerCompanyTools } from 'financial-modeling-prep-mcp-server/dist/tools/company.js';
import { registerCOTTools } from 'financial-modeling-prep-mcp-server/dist/tools/cot.js';
import { registerCryptoTools } from 'financial-modeling-prep-mcp-server/dist/tools/crypto.js';
import { registerDCFTools } from 'financial-modeling-prep-mcp-server/dist/tools/dcf.js';
import { registerDirectoryTools } from 'financial-modeling-prep-mcp-server/dist/tools/directory.js';
import { registerEarningsTranscriptTools } from 'financial-modeling-prep-mcp-server/dist/tools/earnings-transcript.js';
import { registerEconomicsTools } from 'financial-modeling-prep-mcp-server/dist/tools/economics.js';
import { registerESGTools } from 'financial-modeling-prep-mcp-server/dist/tools/esg.js';
import { registerForexTools } from 'financial-modeling-prep-mcp-server/dist/tools/forex.js';
import { registerForm13FTools } from 'financial-modeling-prep-mcp-server/dist/tools/form-13f.js';
import { registerFundTools } from 'financial-modeling-prep-mcp-server/dist/tools/fund.js';
import { registerFundraisersTools } from 'financial-modeling-prep-mcp-server/dist/tools/fundraisers.js';
import { registerGovernmentTradingTools } from 'financial-modeling-prep-mcp-server/dist/tools/government-trading.js';
import { registerIndexesTools } from 'financial-modeling-prep-mcp-server/dist/tools/indexes.js';
import { registerInsiderTradesTools } from 'financial-modeling-prep-mcp-server/dist/tools/insider-trades.js';
import { registerMarketHoursTools } from 'financial-modeling-prep-mcp-server/dist/tools/market-hours.js';
import { registerMarketPerformanceTools } from 'financial-modeling-prep-mcp-server/dist/tools/market-performance.js';
import { registerNewsTools } from 'financial-modeling-prep-mcp-server/dist/tools/news.js';
import { registerQuotesTools } from 'financial-modeling-prep-mcp-server/dist/tools/quotes.js';
import { registerSearchTools } from 'financial-modeling-prep-mcp-server/dist/tools/search.js';
import { registerSECFilingsTools } from 'financial-modeling-prep-mcp-server/dist/tools/sec-filings.js';
import { registerStatementsTools } from 'financial-modeling-prep-mcp-server/dist/tools/statements.js';
import { registerTechnicalIndicatorsTools } from 'financial-modeling-prep-mcp-server/dist/tools/technical-indicators.js';
import { createModuleAdapter, createModuleAdapters, readOnlyService } from 'toolfold/web';
import type { GroupedModule, ModuleAdapters } from 'toolfold/web';

export const registerFunctions = {
  search: registerSearchTools,
  directory: registerDirectoryTools,
  company: registerCompanyTools,
  quotes: registerQuotesTools,
  statements: registerStatementsTools,
  calendar: registerCalendarTools,
  'earnings-transcript': registerEarningsTranscriptTools,
  chart: registerChartTools,
  news: registerNewsTools,
  analyst: registerAnalystTools,
  'market-performance': registerMarketPerformanceTools,
  'market-hours': registerMarketHoursTools,
  'insider-trades': registerInsiderTradesTools,
  'form-13f': registerForm13FTools,
  indexes: registerIndexesTools,
  economics: registerEconomicsTools,
  cot: registerCOTTools,
  crypto: registerCryptoTools,
  forex: registerForexTools,
  commodity: registerCommodityTools,
  fund: registerFundTools,
  fundraisers: registerFundraisersTools,
  esg: registerESGTools,
  'technical-indicators': registerTechnicalIndicatorsTools,
  'government-trading': registerGovernmentTradingTools,
  'sec-filings': registerSECFilingsTools,
  dcf: registerDCFTools,
  bulk: registerBulkTools,
};
// #region adapters
/** Every tool only reads from the service. A session may bring its own key. */
const options = { annotations: readOnlyService, credentialKey: 'FMP_ACCESS_TOKEN', sharesTools: true };

/** Creates a loader for each module. With `fold`, each module becomes one grouped tool with the description from `fold`. */
export function adaptModules(fold?: (module: string) => GroupedModule): ModuleAdapters {
  const loaders = Object.entries(registerFunctions).map(([module, register]) => [
    module,
    createModuleAdapter(module, register, fold ? { ...options, grouped: fold(module) } : options),
  ]);
  return createModuleAdapters(Object.fromEntries(loaders));
}
// #endregion adapters
