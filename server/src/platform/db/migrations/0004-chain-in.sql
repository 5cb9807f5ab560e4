-- Prices: units of 1e-18 USD for one whole unit of the asset.
create table rates (
  ticker text primary key,
  usd_e18 numeric(78, 0) not null check (usd_e18 > 0),
  source text not null,
  observed_at timestamptz not null
);

-- What it costs to send now, per network; `rate` is the chain port's FeeRate with its integers as text.
create table network_fees (
  network text primary key,
  rate jsonb not null,
  observed_at timestamptz not null
);

-- The next derivation index of each branch of each account key: BITCOIN or EVM, deposit or hot, branch 0 or 1.
create table derivation_counters (
  family text not null,
  account text not null,
  branch smallint not null,
  next_index bigint not null,
  primary key (family, account, branch)
);

-- Addresses derived ahead of need, so that no derivation sits on a request's path.
create table address_stock (
  family text not null,
  derivation_index bigint not null,
  address text not null,
  primary key (family, derivation_index)
);

-- Deposit addresses. An address never changes owner. `leased_until` ends a rotating one, after which money is late; the
-- first deposit (`replenished_at`) moves that end to `lease_after_deposit_ms` later.
create table addresses (
  merchant_id uuid not null,
  id uuid not null,
  family text not null,
  blockchain text not null,
  address text not null,
  derivation_index bigint not null,
  meta text,
  leased_until timestamptz,
  lease_after_deposit_ms bigint,
  replenished_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index addresses_address on addresses (family, address);
-- What a block's receivers are looked up in: a third of the size of the one above, so that ten million addresses stay in memory.
create index addresses_lookup on addresses using hash (address);
create index addresses_leases on addresses (family, leased_until, address) where leased_until is not null;

-- Addresses of the house: hot wallets and change.
create table house_addresses (
  family text not null,
  address text not null,
  account text not null,
  branch smallint not null,
  derivation_index bigint not null,
  created_at timestamptz not null,
  primary key (family, address)
);

-- How far each network has been read. `epoch` is the leader's; a leader that lost it writes nothing. `traces`: the node
-- shows what contracts send, so that blocks are the whole truth.
create table watch_cursors (
  network text primary key,
  height bigint not null,
  hash text not null,
  epoch bigint not null default 0,
  head_height bigint not null,
  final_height bigint not null,
  traces boolean not null,
  updated_at timestamptz not null
);
-- The newest blocks of the branch the cursor stands on, to find where a reorganisation forked off.
create table watch_blocks (
  network text not null,
  height bigint not null,
  hash text not null,
  parent text not null,
  primary key (network, height)
);

create table deposits (
  merchant_id uuid not null,
  id uuid not null,
  network text not null,
  asset text not null,
  -- the chain transaction's hash and where in it; when internal, the withdrawal's id; when a balance check found it, the hash
  -- of the block it checked
  transaction text not null,
  index text not null,
  address text not null,
  address_id uuid not null,
  senders text[] not null,
  units numeric(78, 0) not null check (units > 0),
  fee_units numeric(78, 0) not null check (fee_units between 0 and units),
  state text not null check (state in ('pending', 'credited', 'suspended', 'orphaned', 'failed')),
  -- the newest status the merchant was told; never told twice, and Failed is the last word
  told text not null check (told in ('Pending', 'Done', 'Failed')),
  fail_reason text,
  -- the block it is in on the best chain; null while unconfirmed or orphaned
  block_height bigint,
  block_hash text,
  -- credited when the chain is this high; null: when the block is final
  credit_height bigint,
  -- what its transaction uses up, and the transaction that used it up instead
  keys text[] not null,
  conflict_transaction text,
  conflict_height bigint,
  -- since when neither the pool nor the chain shows it
  gone_at timestamptz,
  internal boolean not null default false,
  late boolean not null default false,
  meta text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
) with (fillfactor = 80);
create unique index deposits_source on deposits (network, transaction, index);
create index deposits_open on deposits (network, block_height) where state in ('pending', 'orphaned');
create index deposits_height on deposits (network, block_height) where block_height is not null;
create index deposits_address on deposits (network, address);
-- Those that a balance check found: what it has counted is not counted again.
create index deposits_balance_checked on deposits (network, address, block_height) where index = 'b:' || address;
