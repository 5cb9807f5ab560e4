-- Payouts that a member of a merchant asks for in the dashboard and another member approves. All times of these tables
-- are of the real clock.
create table payout_requests (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  -- one: a payout of a form; file: the payouts of a file
  kind text not null check (kind in ('one', 'file')),
  -- of the form that asked: a form asks once
  form_key uuid not null,
  -- of the file
  name text not null,
  state text not null check (state in ('waiting', 'placing', 'placed', 'refused', 'withdrawn', 'failed')),
  maker_id uuid not null references dashboard_people (id),
  -- SHA-256 of merchant, id and all lines: an approval fits these only
  content_hash bytea not null,
  created_at timestamptz not null,
  -- a request that waits until then has expired
  expires_at timestamptz not null,
  -- who placed, refused or withdrew it
  decided_by uuid references dashboard_people (id),
  decided_at timestamptz,
  -- why it was refused, or has failed
  reason text,
  unique (merchant_id, form_key)
);
create index payout_requests_merchant on payout_requests (merchant_id, created_at, id);
create index payout_requests_placing on payout_requests (decided_at) where state = 'placing';

create table payout_lines (
  request_id uuid not null references payout_requests (id),
  number integer not null,
  merchant_id uuid not null,
  ticker text not null,
  blockchain text not null,
  -- in canonical form
  to_address text not null,
  -- ledger units that the receiver gets
  units numeric(78, 0) not null check (units > 0),
  -- ledger units: a higher fee is not paid
  fee_limit numeric(78, 0) not null check (fee_limit >= 0),
  meta text,
  state text not null check (state in ('waiting', 'placed', 'failed')),
  withdrawal_id uuid,
  reason text,
  ended_at timestamptz,
  primary key (request_id, number)
);
create index payout_lines_placed on payout_lines (merchant_id, ticker, ended_at) where state = 'placed';

create table payout_approvals (
  request_id uuid not null references payout_requests (id),
  person_id uuid not null references dashboard_people (id),
  merchant_id uuid not null,
  -- that of the request as the person saw it
  content_hash bytea not null,
  at timestamptz not null,
  primary key (request_id, person_id)
);

-- The newest version that is in force counts.
create table payout_policies (
  merchant_id uuid not null references merchants (id),
  version integer not null,
  rules jsonb not null,
  made_by uuid not null references dashboard_people (id),
  made_at timestamptz not null,
  in_force_at timestamptz not null,
  primary key (merchant_id, version)
);

create table payout_addresses (
  id uuid primary key,
  merchant_id uuid not null references merchants (id),
  name text not null,
  blockchain text not null,
  -- in canonical form
  address text not null,
  added_by uuid not null references dashboard_people (id),
  added_at timestamptz not null,
  -- until then it counts as an address that is not in the book
  usable_at timestamptz not null,
  removed_by uuid references dashboard_people (id),
  removed_at timestamptz
);
create unique index payout_addresses_once on payout_addresses (merchant_id, blockchain, address) where removed_at is null;
