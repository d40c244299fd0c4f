create table rules (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  name text not null,
  position integer not null default 100,
  payee_contains text not null,
  category_id integer not null references categories on delete cascade,
  is_enabled boolean not null default true
);
create unique index rules_name on rules (budget_id, lower(name));

create table goals (
  id integer generated always as identity primary key,
  budget_id integer not null references budgets on delete cascade,
  name text not null,
  target bigint not null check (target > 0),
  saved bigint not null default 0 check (saved >= 0),
  due_on date
);
create unique index goals_name on goals (budget_id, lower(name));

create table contributions (
  id integer generated always as identity primary key,
  goal_id integer not null references goals on delete cascade,
  date date not null,
  amount bigint not null,
  request_id text,
  created_at timestamptz not null default now()
);
create unique index contributions_request on contributions (goal_id, request_id);
