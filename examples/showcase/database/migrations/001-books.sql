-- Money is bigint in the smallest unit of the budget's currency. Days are dates without a time zone.

create table budgets (
  id integer generated always as identity primary key,
  name text not null,
  currency text not null
);
create unique index budgets_name on budgets (lower(name));

create table settings (
  id boolean primary key default true check (id),
  time_zone text not null,
  default_budget_id integer references budgets on delete set null,
  is_seeded boolean not null default false
);

create table accounts (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  name text not null,
  kind text not null check (kind in ('checking', 'savings', 'card', 'cash')),
  balance bigint not null default 0,
  closed_on date
);
create unique index accounts_name on accounts (budget_id, lower(name));

create table categories (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  section text not null,
  name text not null,
  is_income boolean not null default false,
  is_archived boolean not null default false
);
create unique index categories_name on categories (budget_id, lower(name));

create table assignments (
  category_id integer not null references categories on delete cascade,
  month date not null check (extract(day from month) = 1),
  amount bigint not null,
  primary key (category_id, month)
);

create table payees (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  name text not null,
  category_id integer references categories on delete set null
);
create unique index payees_name on payees (budget_id, lower(name));

create table transfers (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  from_account_id integer not null references accounts,
  to_account_id integer not null references accounts,
  amount bigint not null check (amount > 0),
  date date not null,
  memo text not null default '',
  request_id text,
  undone_at timestamptz,
  created_at timestamptz not null default now(),
  check (from_account_id <> to_account_id)
);
create unique index transfers_request on transfers (budget_id, request_id);

create table imports (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  undone_at timestamptz,
  created_at timestamptz not null default now()
);

create table transactions (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  date date not null,
  amount bigint not null,
  payee_id integer references payees on delete set null,
  category_id integer references categories on delete set null,
  memo text not null default '',
  is_cleared boolean not null default false,
  transfer_id integer references transfers on delete cascade,
  import_id integer references imports on delete set null,
  import_key text,
  request_id text,
  created_at timestamptz not null default now(),
  -- What moves between own accounts is neither spent nor earned.
  check (transfer_id is null or category_id is null)
);
create index transactions_account_date on transactions (account_id, date desc, id desc);
create index transactions_category on transactions (category_id, date);
create index transactions_payee on transactions (payee_id);
create unique index transactions_import on transactions (account_id, import_key);
create unique index transactions_request on transactions (account_id, request_id);
