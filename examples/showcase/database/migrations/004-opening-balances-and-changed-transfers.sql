-- An opening balance is neither income nor spending, so reports leave it out.
alter table transactions add column is_opening boolean not null default false;
update transactions t set is_opening = true
  where t.category_id is null and t.transfer_id is null and t.import_id is null
    and ((t.payee_id is null and t.memo = 'Opening balance')
      or t.payee_id in (select id from payees where name = 'Opening balance'));
-- A repeated request is compared with this amount if its transfer was changed.
alter table transfers add column requested_amount bigint;
