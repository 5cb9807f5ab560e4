-- An entry is written by the statement that brings its account to it. One that is ahead of its account would keep every later posting to that account from being
-- written: whoever may insert entries could stop any account with one row.
create function require_account_at_entry() returns trigger language plpgsql as $$
declare
  ahead record;
begin
  select e.account_id, e.version into ahead from added e left join ledger_accounts a on a.id = e.account_id
    where a.version is null or a.version < e.version limit 1;
  if found then
    raise exception 'entry % of account % is ahead of its account', ahead.version, ahead.account_id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_with_account after insert on ledger_entries
  referencing new table as added for each statement execute function require_account_at_entry();
