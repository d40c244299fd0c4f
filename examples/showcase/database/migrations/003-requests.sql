-- What was asked for under a request id stays as it was, whatever becomes of the transaction.
create table requests (
  account_id integer not null references accounts on delete cascade,
  request_id text not null,
  amount bigint not null,
  transaction_id integer references transactions on delete set null,
  primary key (account_id, request_id)
);
create index requests_transaction on requests (transaction_id);
insert into requests (account_id, request_id, amount, transaction_id)
  select account_id, request_id, amount, id from transactions where request_id is not null;
alter table transactions drop column request_id;
