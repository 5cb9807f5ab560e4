-- Money of card payments that its merchant can't spend yet: for a time after the payment, or as a reserve against chargebacks.
create table card_holds (
  merchant_id uuid not null,
  -- the ledger's hold
  id uuid not null,
  payment_id uuid not null,
  ticker text not null,
  units numeric(78, 0) not null check (units > 0),
  -- 'time' or 'reserve'
  kind text not null check (kind in ('time', 'reserve')),
  release_at timestamptz not null,
  -- null while it is held
  ended_at timestamptz,
  -- 'released' at its time, 'used' for a refund or a chargeback before
  ended_as text check (ended_as in ('released', 'used')),
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((ended_at is null) = (ended_as is null))
);
create index card_holds_due on card_holds (release_at) where ended_at is null;
create index card_holds_payment on card_holds (merchant_id, payment_id) where ended_at is null;
