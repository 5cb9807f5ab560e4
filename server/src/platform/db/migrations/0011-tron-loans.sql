-- Energy that the hot address lends deposit addresses on TRON for their sweeps: one row for each loan. What is open, lent
-- and returned is what the two transactions say.
create table tron_loans (
  id uuid primary key,
  address text not null,
  merchant_id uuid not null,
  derivation_index bigint not null,
  -- sun of stake
  stake numeric(78, 0) not null check (stake > 0),
  lend_id uuid not null references outgoing (id),
  return_id uuid references outgoing (id),
  closed_at timestamptz,
  created_at timestamptz not null
);
create index tron_loans_open on tron_loans (address) where closed_at is null;
create index tron_loans_lend on tron_loans (lend_id);
create index tron_loans_return on tron_loans (return_id) where return_id is not null;
