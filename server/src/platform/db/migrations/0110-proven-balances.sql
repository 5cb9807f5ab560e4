-- A balance changes only together with the entry of its next version, and an entry goes on from the one before it. These triggers hold
-- for the owner of the tables too. Where a balance was changed in spite of them, the next posting to that account fails: history never
-- goes on from a balance that nothing explains.
create function require_unbroken_entries() returns trigger language plpgsql as $$
declare
  broken record;
begin
  select e.account_id, e.version into broken
    from added e left join ledger_entries p on p.account_id = e.account_id and p.version = e.version - 1
    where e.posted_after <> coalesce(p.posted_after, 0) + e.posted or e.held_after <> coalesce(p.held_after, 0) + e.held
      or (p.version is null and e.version <> 1)
    limit 1;
  if found then
    raise exception 'entry % of account % does not go on from the entry before it: the account''s balance is not what its entries say', broken.version, broken.account_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_unbroken after insert on ledger_entries
  referencing new table as added for each statement execute function require_unbroken_entries();

create function require_last_entry() returns trigger language plpgsql as $$
declare
  wrong bigint;
begin
  select a.id into wrong
    from changed a left join ledger_entries e on e.account_id = a.id and e.version = a.version
    where coalesce(e.posted_after, 0) <> a.posted or coalesce(e.held_after, 0) <> a.held or (e.version is null and a.version <> 0)
    limit 1;
  if found then
    raise exception 'account % changes without the entry that explains it', wrong using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_accounts_explained after update on ledger_accounts
  referencing new table as changed for each statement execute function require_last_entry();

create function refuse_account() returns trigger language plpgsql as $$
begin
  raise exception 'an account is opened empty, its version rises with each entry, and whose it is never changes' using errcode = 'integrity_constraint_violation';
end $$;
create trigger ledger_accounts_opened_empty before insert on ledger_accounts
  for each row when (new.posted <> 0 or new.held <> 0 or new.version <> 0) execute function refuse_account();
create trigger ledger_accounts_forward after update on ledger_accounts
  for each row when (new.version <= old.version) execute function refuse_account();
create trigger ledger_accounts_identity before update of id, merchant_id, asset, kind, bounded on ledger_accounts
  for each statement execute function refuse_account();
create trigger ledger_accounts_kept before delete or truncate on ledger_accounts
  for each statement execute function refuse_change();
alter table ledger_accounts add constraint merchant_is_bounded check (kind <> 'merchant' or bounded);

create trigger ledger_anchors_append_only before update or delete or truncate on ledger_anchors
  for each statement execute function refuse_change();
