/** Checks for the formats that the form supports. The expressions take linear time, because texts may be long. */
const checks: Readonly<
  Record<string, { readonly test: (text: string) => boolean; readonly problem: string }>
> = {
  date: { test: isDate, problem: 'must be a date such as 2026-03-01' },
  time: { test: isTime, problem: 'must be a time such as 12:30:00Z' },
  'date-time': {
    test: (text) => {
      const [date = '', time = '', ...more] = text.split(/[Tt ]/);
      return more.length === 0 && isDate(date) && isTime(time);
    },
    problem: 'must be a date and time such as 2026-03-01T12:30:00Z',
  },
  email: { test: isEmail, problem: 'must be an email address' },
  uri: { test: isUri, problem: 'must be an address such as https://example.com' },
  url: { test: isUri, problem: 'must be an address such as https://example.com' },
  uuid: {
    test: (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
    problem: 'must be a UUID',
  },
};

/** Explains how a text violates its format. Unknown formats are left to the server. */
export function formatProblem(format: string, text: string): string | undefined {
  if (!Object.hasOwn(checks, format)) return undefined;
  const check = checks[format];
  return check && !check.test(text) ? check.problem : undefined;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:z|[+-](\d\d):(\d\d))$/i.exec(text);
  if (!match) return false;
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return hour < 24 && minute < 60 && second < 60 && zoneHour < 24 && zoneMinute < 60;
}

function isUri(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:[^\s]+$/i.test(text) && URL.canParse(text);
}

const LONGEST_EMAIL = 320;

function isEmail(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  return (
    more.length === 0 &&
    local.split('.').every((part) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(part)) &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z\d-]+$/i.test(label) && !label.startsWith('-') && !label.endsWith('-'))
  );
}
