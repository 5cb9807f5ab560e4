-- A withdrawal that equals a payment which a restored copy lacks waits for an operator: it may be the same payment.
create table lost_payment_repeats (
  -- of the lost payment: it holds at most one withdrawal
  intent_id uuid primary key,
  merchant_id uuid not null,
  withdrawal_id uuid not null,
  held_at timestamptz not null,
  -- same: the withdrawal is the lost payment; new: it is another payment
  decision text check (decision in ('same', 'new')),
  decided_at timestamptz,
  decided_by text,
  check ((decided_at is null) = (decision is null)),
  unique (merchant_id, withdrawal_id)
);
-- An operator names the withdrawal alone.
create index lost_payment_repeats_withdrawal on lost_payment_repeats (withdrawal_id);

-- `repeat`: it equals a lost payment. The check is validated by the next migration.
alter table withdrawals drop constraint withdrawals_barred_check;
alter table withdrawals add constraint withdrawals_barred_check check (barred in ('signed', 'closed', 'repeat')) not valid;
