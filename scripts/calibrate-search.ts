/**
 * Fits the coefficients of `packages/search/src/confidence/confidence.ts` to questions that were written for that purpose, and shows how well they
 * generalise. Run it after changes of the ranking: `npx tsx scripts/calibrate-search.ts`.
 */
import { readFileSync } from 'node:fs';
import { declaredFields } from '@toolfold/schema/internal';
import { describeArguments } from '@toolfold/search/internal';
import { createToolSearch, type SearchExplanation, type ToolSearchDocument } from '@toolfold/search';

type Signals = SearchExplanation['signals'];

interface Question {
  readonly query: string;
  /** The tools that answer the question. Empty if none does. */
  readonly tools: readonly string[];
  readonly distance?: 'far' | 'near';
}

/** A question, asked of one index. */
interface Sample {
  readonly index: string;
  readonly kind: 'answerable' | 'far' | 'near';
  readonly signals: Signals;
  readonly words: number;
}

const read = <T>(file: string): T =>
  JSON.parse(readFileSync(new URL(`../test/data/${file}`, import.meta.url), 'utf8')) as T;

/** The order of the signals in vectors. */
const names = [
  'known',
  'matched',
  'covered',
  'common',
  'strength',
  'keywords',
] as const satisfies (keyof Signals)[];

/** A near question counts less, because a tool for a similar task is not irrelevant. */
const NEAR = 0.5;
const SHRINKAGE = 0.005;
/** Some authors write few keywords. */
const FEW = 5;

/** The probability that a question is answerable, by its signals. */
interface Model {
  readonly factors: readonly number[];
  readonly constant: number;
}

function estimate({ factors, constant }: Model, signals: Signals): number {
  const sum = names.reduce((total, name, at) => total + (factors[at] ?? 0) * signals[name], constant);
  return 1 / (1 + Math.exp(-sum));
}

function readServer(file: string, keywords: Keywords): ToolSearchDocument[] {
  interface Listed {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: object;
  }
  return read<{ readonly tools: readonly Listed[] }>(`servers/${file}`).tools.map(
    ({ name, description, inputSchema }) => ({
      address: name,
      name,
      description,
      arguments: describeArguments(declaredFields(inputSchema)),
      keywords: keywords.tools[name]?.keywords ?? [],
    }),
  );
}

interface Keywords {
  readonly tools: Readonly<Record<string, { readonly keywords: readonly string[] }>>;
}

/** All indexes, with and without keywords, and their questions. */
function collectSamples(): Sample[] {
  const keywords = read<Keywords>('search-calibration-keywords.json');
  const servers = ['notion-2.5.2.json', 'firecrawl-3.26.0.json', 'playwright-0.0.83.json'].map((file) =>
    readServer(file, keywords),
  );
  const { queries: ofServers } = read<{ readonly queries: readonly Question[] }>(
    'search-calibration-servers.json',
  );
  const { queries: ofShowcase } = read<{ readonly queries: readonly Question[] }>(
    'search-calibration-showcase.json',
  );
  const showcase = read<{ readonly tools: readonly ToolSearchDocument[] }>(
    'search-calibration-showcase-tools.json',
  );
  return [
    ...ask('servers', servers.flat(), ofServers),
    ...servers.flatMap((tools, at) => ask(`server ${at + 1}`, tools, ofServers)),
    ...ask('showcase', showcase.tools, ofShowcase),
  ];
}

function ask(name: string, tools: readonly ToolSearchDocument[], questions: readonly Question[]): Sample[] {
  const addresses = new Set(tools.map(({ address }) => address));
  // A question for the tools of another server says nothing about this one.
  const asked = questions.filter(
    ({ tools: right }) => right.length === 0 || right.some((each) => addresses.has(each)),
  );
  const hasKeywords = tools.some(({ keywords = [] }) => keywords.length > 0);
  return (hasKeywords ? [0, FEW, Infinity] : [0]).flatMap((most) => {
    const documents = tools.map((tool) => ({ ...tool, keywords: tool.keywords?.slice(0, most) ?? [] }));
    const search = createToolSearch(documents);
    const index = most > 0 ? `${name}, ${most === FEW ? `${FEW} keywords` : 'keywords'}` : name;
    return asked.map(({ query, distance }): Sample => {
      const { signals, words } = search.explain(query, { limit: 1 });
      const count = words.filter(({ isStopWord }) => !isStopWord).length;
      return { index, kind: distance ?? 'answerable', signals, words: count };
    });
  });
}

/**
 * The weights of samples. Answerable and other questions of about the same length weigh the same, because how long they are says only
 * something about their author.
 */
function weighSamples(samples: readonly Sample[]): number[] {
  const keyOf = ({ kind, words }: Sample, isAnswerable = kind === 'answerable'): string =>
    `${isAnswerable} ${Math.min(3, Math.floor(words / 2) - 1)}`;
  const plain = samples.map(({ kind }) => (kind === 'near' ? NEAR : 1));
  const masses = new Map<string, number>();
  samples.forEach((sample, at) => {
    masses.set(keyOf(sample), (masses.get(keyOf(sample)) ?? 0) + (plain[at] ?? 0));
  });
  return samples.map((sample, at) => {
    const own = masses.get(keyOf(sample)) ?? 0;
    const both = own + (masses.get(keyOf(sample, sample.kind !== 'answerable')) ?? 0);
    return ((plain[at] ?? 0) * both) / 2 / Math.max(own, both / 10);
  });
}

/** A logistic regression by gradient descent on standardised signals. */
function fit(samples: readonly Sample[]): Model {
  const weights = weighSamples(samples);
  const mass = weights.reduce((sum, each) => sum + each, 0);
  const means = names.map((name) => average(samples.map(({ signals }) => signals[name])));
  const spreads = names.map(
    (name, at) =>
      Math.sqrt(average(samples.map(({ signals }) => (signals[name] - (means[at] ?? 0)) ** 2))) || 1,
  );
  const rows = samples.map(({ signals }) =>
    names.map((name, at) => (signals[name] - (means[at] ?? 0)) / (spreads[at] ?? 1)),
  );
  const factors = names.map(() => 0);
  let constant = 0;
  for (let round = 0; round < 2_000; round++) {
    const slopes = names.map(() => 0);
    let slope = 0;
    rows.forEach((row, at) => {
      const sum = row.reduce((total, value, place) => total + value * (factors[place] ?? 0), constant);
      const wanted = samples[at]?.kind === 'answerable' ? 1 : 0;
      const error = (1 / (1 + Math.exp(-sum)) - wanted) * (weights[at] ?? 0);
      row.forEach((value, place) => (slopes[place] = (slopes[place] ?? 0) + error * value));
      slope += error;
    });
    slopes.forEach((each, at) => {
      factors[at] = (factors[at] ?? 0) - 0.5 * (each / mass + SHRINKAGE * (factors[at] ?? 0));
    });
    constant -= (0.5 * slope) / mass;
  }
  const scaled = factors.map((factor, at) => factor / (spreads[at] ?? 1));
  return {
    factors: scaled,
    constant: scaled.reduce((sum, each, at) => sum - each * (means[at] ?? 0), constant),
  };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);

/** The probability that a value of the first list is higher than one of the second; a tie counts half. */
function areaUnderCurve(high: readonly number[], low: readonly number[]): number {
  return average(high.map((one) => average(low.map((other) => (one === other ? 0.5 : Number(one > other))))));
}

function report(title: string, model: Model, samples: readonly Sample[], limits: readonly number[]): void {
  console.log(
    `\n${title}: AUC far, near; then at each limit the percentage of answerable, far and near below it`,
  );
  for (const index of new Set(samples.map((sample) => sample.index))) {
    const of = (kind: Sample['kind']): number[] =>
      samples
        .filter((sample) => sample.index === index && sample.kind === kind)
        .map(({ signals }) => estimate(model, signals));
    const [answerable, far, near] = [of('answerable'), of('far'), of('near')];
    const below = (values: readonly number[], limit: number): string =>
      (100 * average(values.map((value) => Number(value < limit)))).toFixed(1);
    const shares = limits.map((limit) =>
      [answerable, far, near].map((values) => below(values, limit)).join(' '),
    );
    const curves = [far, near].map((others) => areaUnderCurve(answerable, others).toFixed(3));
    console.log(`${index.padEnd(36)} ${curves.join(' ')} | ${shares.join(' | ')}`);
  }
}

const samples = collectSamples();
const isShowcase = ({ index }: Sample): boolean => index.startsWith('showcase');
const limits = [0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4];
console.log(`limits ${limits.join(', ')}`);
const others = samples.filter((sample) => !isShowcase(sample));
report('Fitted to the servers, asked of the showcase', fit(others), samples.filter(isShowcase), limits);
report('Fitted to the showcase, asked of the servers', fit(samples.filter(isShowcase)), others, limits);
const model = fit(samples);
report('Fitted to all', model, samples, limits);
console.log('\nsignal: coefficient, AUC alone (far, near)');
names.forEach((name, at) => {
  const of = (kind: Sample['kind']): number[] =>
    samples.filter((each) => each.kind === kind).map(({ signals }) => signals[name]);
  const curves = [of('far'), of('near')].map((low) => areaUnderCurve(of('answerable'), low).toFixed(2));
  console.log(`${name}: ${(model.factors[at] ?? 0).toFixed(2)}, ${curves.join(' ')}`);
});
console.log(`constant: ${model.constant.toFixed(2)}`);
