-- How far each account's history was verified: an audit goes on from there.
create table ledger_checkpoints (
  account_id bigint primary key,
  version bigint not null,
  posted numeric(78, 0) not null,
  held numeric(78, 0) not null,
  -- the account's hash chain at that version
  hash bytea not null,
  verified_at timestamptz not null
);
