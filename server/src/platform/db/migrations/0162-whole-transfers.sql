-- All entries of a transfer are written by the transaction that makes it: none is added to one that is there. Otherwise an entry could borrow the cause of a
-- transfer that its writer has no right to insert.
create function require_whole_transfers() returns trigger language plpgsql as $$
declare
  known uuid;
begin
  select e.transfer_id into known from added a join ledger_entries e on e.transfer_id = a.transfer_id
    where e.xmin <> pg_current_xact_id()::xid limit 1;
  if found then
    raise exception 'transfer % has its entries already', known using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_whole after insert on ledger_entries
  referencing new table as added for each statement execute function require_whole_transfers();
