create table withdrawals (
  merchant_id uuid not null,
  id uuid not null,
  ticker text not null,
  blockchain text not null,
  to_address text not null,
  units numeric(78, 0) not null check (units > 0),
  fee_units numeric(78, 0) not null check (fee_units >= 0),
  local_id text,
  meta text,
  state text not null,
  fail_reason text,
  internal boolean not null default false,
  -- the ledger transfer that holds amount + fee
  hold_id uuid not null,
  outgoing_id uuid,
  -- Done has been sent: it is never sent twice
  done_sent boolean not null default false,
  -- not taken up before this; set back when a transaction for it was given up before anything was signed
  not_before timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id)
) with (fillfactor = 70);
create index withdrawals_waiting on withdrawals (blockchain, created_at, id) where state = 'requested';
create index withdrawals_outgoing on withdrawals (outgoing_id) where outgoing_id is not null;

-- Signatures of people who approved a withdrawal; the signer checks them with keys enrolled there.
create table withdrawal_approvals (
  merchant_id uuid not null,
  withdrawal_id uuid not null,
  key_id text not null,
  signature text not null,
  created_at timestamptz not null,
  primary key (merchant_id, withdrawal_id, key_id)
);

-- The address money leaves from on account chains, and the next nonce the database hands out.
create table hot_wallets (
  network text primary key,
  address text not null,
  next_nonce bigint not null
);

-- Chain transactions of ours. Whatever happens, at most one attempt of a row is ever mined: all attempts spend the same
-- nonce or share an input.
create table outgoing (
  id uuid primary key,
  network text not null,
  purpose text not null check (purpose in ('payout', 'filler')),
  state text not null,
  -- whose money it is in the chain's eyes: the hot address, or the addresses of the coins it spends
  senders text[] not null,
  nonce bigint,
  -- what this transaction uses up (the chain port's keys)
  keys text[] not null,
  -- the attempt in force, 0 before the first is signed
  attempt integer not null default 0,
  mined_hash text,
  mined_height bigint,
  mined_block text,
  -- native units paid to the network, once mined
  network_fee numeric(78, 0),
  succeeded boolean,
  first_broadcast_at timestamptz,
  last_broadcast_at timestamptz,
  next_step_at timestamptz not null,
  epoch bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index outgoing_open on outgoing (network, next_step_at) where state not in ('final', 'failed', 'abandoned');
create unique index outgoing_nonce on outgoing (network, (senders[1]), nonce) where nonce is not null and state <> 'abandoned';
create index outgoing_mined on outgoing (network, mined_height) where mined_height is not null;

-- Everything ever put before the signer: the unsigned bytes first, the signed bytes before they are broadcast.
create table outgoing_attempts (
  outgoing_id uuid not null references outgoing (id),
  attempt integer not null,
  network text not null,
  unsigned text not null,
  signing_keys jsonb not null,
  fee_rate jsonb not null,
  network_fee numeric(78, 0) not null,
  hash text,
  raw text,
  signed_at timestamptz,
  created_at timestamptz not null,
  primary key (outgoing_id, attempt)
);
create unique index outgoing_attempts_hash on outgoing_attempts (network, hash) where hash is not null;

-- Coins of ours on networks that have coins. `reserved_by` is the outgoing transaction that will spend it; `spent_by` the
-- chain transaction that did, in the block at `spent_height`.
create table utxos (
  network text not null,
  transaction text not null,
  vout integer not null,
  address text not null,
  account text not null,
  branch smallint not null,
  derivation_index bigint not null,
  units numeric(78, 0) not null,
  block_height bigint,
  reserved_by uuid,
  spent_by text,
  spent_height bigint,
  primary key (network, transaction, vout)
);
create index utxos_spendable on utxos (network, units) where spent_by is null and reserved_by is null;
create index utxos_height on utxos (network, block_height);
create index utxos_spent_height on utxos (network, spent_height) where spent_height is not null;
create index utxos_reserved on utxos (reserved_by) where reserved_by is not null;

-- Money that reached a wallet of the house from outside: the owner's, booked once its block is final.
create table fundings (
  network text not null,
  transaction text not null,
  index text not null,
  asset text not null,
  address text not null,
  units numeric(78, 0) not null,
  block_height bigint not null,
  booked boolean not null default false,
  primary key (network, transaction, index)
);
create index fundings_open on fundings (network, block_height) where not booked;
