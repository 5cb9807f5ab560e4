-- A withdrawal that is part of something larger is told in that one's words: {kind, objectId, body}.
alter table withdrawals add column told_as jsonb;

-- An exchange and the withdrawal of what it bought, made in one transaction. Its id is the withdrawal's, of `withdrawals` when
-- `kind` is crypto and of `card_payouts` when it is fiat: how it ends is what that row says.
create table exchange_withdrawals (
  merchant_id uuid not null,
  id uuid not null,
  exchange_id uuid not null,
  kind text not null check (kind in ('crypto', 'fiat')),
  local_id text,
  meta text,
  caused_by text check (caused_by in ('fiat-invoice', 'crypto-invoice', 'crypto-replenishment')),
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
