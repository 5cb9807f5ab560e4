-- Payouts to cards, asked for one by one or as a batch. What has been paid and what has failed are sums over the parts.
create table card_payouts (
  merchant_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('single', 'batch')),
  ticker text not null,
  units numeric(78, 0) not null check (units > 0),
  fee_units numeric(78, 0) not null check (fee_units >= 0),
  masked_card text not null check (masked_card ~ '^\d{6}\*{6}\d{4}$'),
  -- the number, sealed with a key that is used for nothing else; wiped in the transaction that ends the last part
  sealed_card text check (sealed_card ~ '^v1\.[0-9a-f]{8}\.'),
  local_id text,
  meta text,
  -- the ledger transfer that holds amount and fee of every part that has not ended
  hold_id uuid not null,
  open_parts integer not null check (open_parts >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint card_kept_while_needed check ((sealed_card is null) = (open_parts = 0))
) with (fillfactor = 70);
create index card_payouts_sealed on card_payouts (substring(sealed_card for 12)) where sealed_card is not null;

-- The payments of a payout. Each moves by its own table of states.
create table card_payout_parts (
  merchant_id uuid not null,
  payout_id uuid not null,
  number integer not null,
  id uuid not null unique,
  ticker text not null,
  units numeric(78, 0) not null check (units > 0),
  fee_units numeric(78, 0) not null check (fee_units >= 0),
  state text not null check (state in ('planned', 'sending', 'waiting', 'succeeded', 'refused', 'reversed')),
  fail_reason text,
  attempts integer not null default 0,
  -- not taken up before this
  next_step_at timestamptz not null,
  -- raised by whoever takes it up; who was overtaken writes nothing
  epoch bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, payout_id, number)
) with (fillfactor = 70);
create index card_payout_parts_planned on card_payout_parts (next_step_at) where state = 'planned';
create index card_payout_parts_open on card_payout_parts (created_at, id) where state in ('planned', 'sending', 'waiting');

-- Orders to acquirers, written before the acquirer is called. A part has one that is open at most: what may have moved
-- money is never sent again.
create table card_payout_attempts (
  reference uuid primary key,
  merchant_id uuid not null,
  payout_id uuid not null,
  part_id uuid not null references card_payout_parts (id),
  account text not null,
  state text not null check (state in ('open', 'unsent', 'refused', 'succeeded', 'reversed')),
  acquirer_reference text,
  -- what the acquirer takes on top; null while it doesn't say
  acquirer_fee_units numeric(78, 0),
  code text,
  message text,
  asks integer not null default 0,
  -- when the acquirer is asked for it; null when there is nothing to ask
  next_ask_at timestamptz,
  epoch bigint not null default 0,
  sent_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 70);
create unique index card_payout_attempts_live on card_payout_attempts (part_id) where state in ('open', 'succeeded', 'reversed');
create index card_payout_attempts_due on card_payout_attempts (account, next_ask_at) where next_ask_at is not null;
create index card_payout_attempts_part on card_payout_attempts (part_id);
