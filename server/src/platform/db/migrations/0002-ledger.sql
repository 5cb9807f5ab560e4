-- Signs: a credit is positive, a debit negative, so the entries of a transfer add up to zero per asset. An account whose
-- normal side is debit (custody, transit) therefore has a negative `posted`.
create table ledger_accounts (
  id bigint generated always as identity unique,
  merchant_id uuid not null,
  asset text not null,
  kind text not null,
  posted numeric(78, 0) not null default 0,
  held numeric(78, 0) not null default 0,
  version bigint not null default 0,
  bounded boolean not null,
  primary key (merchant_id, asset, kind),
  constraint held_not_negative check (held >= 0),
  constraint available_not_negative check (not bounded or posted - held >= 0)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

create table ledger_transfers (
  merchant_id uuid not null,
  id uuid not null,
  kind text not null,
  cause_kind text not null,
  cause_id uuid not null,
  -- the transfer whose hold this one ends; a hold ends once
  closes uuid,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index ledger_transfers_closes on ledger_transfers (merchant_id, closes) where closes is not null;
create index ledger_transfers_cause on ledger_transfers (cause_id);

-- One row a leg. The key makes a gap or a fork in an account's history impossible to insert.
create table ledger_entries (
  account_id bigint not null,
  version bigint not null,
  transfer_id uuid not null,
  posted numeric(78, 0) not null,
  held numeric(78, 0) not null,
  posted_after numeric(78, 0) not null,
  held_after numeric(78, 0) not null,
  primary key (account_id, version),
  check (posted <> 0 or held <> 0)
);
create index ledger_entries_transfer on ledger_entries (transfer_id);

-- Where each account's hash chain stands: the hash covers every entry up to `version`.
create table ledger_seals (
  account_id bigint not null,
  version bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  primary key (account_id, version)
);

-- One hash a day over the newest seal of every account, to be kept somewhere else.
create table ledger_anchors (
  day date primary key,
  accounts bigint not null,
  hash bytea not null,
  created_at timestamptz not null
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger ledger_transfers_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_seals_append_only before update or delete or truncate on ledger_seals
  for each statement execute function refuse_change();

-- A merchant's own name for an operation, used once for ever (`contract.md` 18, row 12).
create table local_ids (
  merchant_id uuid not null,
  local_id text not null,
  operation text not null,
  object_id uuid not null,
  primary key (merchant_id, local_id)
);

-- Withdrawals that must not leave: of one asset, of one merchant, or of both; null means all.
create table freezes (
  id uuid primary key,
  asset text,
  merchant_id uuid,
  reason text not null,
  created_at timestamptz not null,
  lifted_at timestamptz
);
