-- Up to which entry the worker has proved each account: each entry goes on from the one before, its transfer adds up to zero, and what
-- it credits has a cause.
create table audited_accounts (
  account_id bigint primary key,
  version bigint not null,
  posted numeric(78, 0) not null,
  held numeric(78, 0) not null,
  audited_at timestamptz not null
) with (fillfactor = 50);

-- What could not be proved. A finding is open until the account is proved, or an operator accepts it.
create table audit_findings (
  account_id bigint not null,
  version bigint not null,
  finding text not null,
  detail text not null,
  found_at timestamptz not null,
  settled_at timestamptz,
  -- who accepted it and why; null when it was proved after all
  settled_by text,
  settled_reason text,
  primary key (account_id, version, finding)
);
create index audit_findings_open on audit_findings (account_id) where settled_at is null;

-- Money of the owner's that a merchant was given: the cause of the adjustment that credits it.
create table capital_grants (
  id uuid primary key,
  merchant_id uuid not null,
  asset text not null,
  units numeric(78, 0) not null check (units > 0),
  created_at timestamptz not null
);
-- Adjustments of merchants from before this table: their causes are made of what was posted.
insert into capital_grants(id, merchant_id, asset, units, created_at)
  select t.cause_id, t.merchant_id, a.asset, sum(e.posted), min(t.created_at)
  from ledger_transfers t join ledger_entries e on e.transfer_id = t.id join ledger_accounts a on a.id = e.account_id and a.kind = 'merchant'
  where t.cause_kind = 'adjustment' group by 1, 2, 3 having sum(e.posted) > 0;
create trigger capital_grants_append_only before update or delete or truncate on capital_grants
  for each statement execute function refuse_change();

-- A balance that was changed behind the entries' back may be set to what the last entry says; it never goes back behind an entry.
drop trigger ledger_accounts_forward on ledger_accounts;
create function refuse_going_back() returns trigger language plpgsql as $$
begin
  if exists (select from ledger_entries e where e.account_id = new.id and e.version > new.version) then
    raise exception 'account % has entries after version %', new.id, new.version using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_accounts_forward after update on ledger_accounts
  for each row when (new.version < old.version or (new.version = old.version and (new.posted <> old.posted or new.held <> old.held)))
  execute function refuse_going_back();
