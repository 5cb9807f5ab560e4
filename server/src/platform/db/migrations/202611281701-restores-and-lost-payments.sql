-- Backups and drills that ended well, for the alert about their age.
create table backups (
  id uuid primary key,
  kind text not null check (kind in ('backup', 'drill')),
  -- the folder of the backup
  name text not null,
  -- where the base backup ends in the write-ahead log
  wal_position text not null,
  signer_log_length bigint,
  finished_at timestamptz not null
);
create index backups_by_kind on backups (kind, finished_at desc);

-- Each restore from a copy, and the end of the signer's log that the copy knew: payments of later lines are compared
-- with the books before payments are made again.
create table restores (
  restored_at timestamptz primary key,
  log_length bigint not null,
  log_head text not null,
  -- the end of the log at the last comparison
  replayed_length bigint,
  replayed_at timestamptz,
  accepted_at timestamptz,
  accepted_by text,
  accepted_reason text
);

-- Payments in the signer's log that the restored copy lacks.
create table lost_payments (
  intent_id uuid not null,
  hash text not null,
  network text not null,
  ticker text not null,
  to_address text not null,
  -- in units of the asset on its chain
  chain_units numeric(78, 0) not null,
  conflict_keys text[] not null,
  log_line bigint not null,
  signed_at timestamptz not null,
  found_at timestamptz not null,
  resolved_at timestamptz,
  -- attached: a withdrawal has the transaction now; superseded: it can't be mined; accepted: by an operator
  resolution text check (resolution in ('attached', 'superseded', 'accepted')),
  check ((resolved_at is null) = (resolution is null)),
  primary key (intent_id, hash)
);
create index lost_payments_open on lost_payments (network) where resolved_at is null;
