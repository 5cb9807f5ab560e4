-- Lines of acquirers' statements as they were read, each once, from files or from the acquirer itself.
create table acquirer_statement_lines (
  acquirer text not null,
  kind text not null,
  acquirer_reference text not null,
  ticker text not null,
  -- ours, where it is a payment, payout or refund
  reference text,
  -- what moved on the account: positive in, negative out; before the fee
  units numeric(78, 0) not null,
  fee_units numeric(78, 0) not null check (fee_units >= 0),
  -- the acquirer's time
  at timestamptz not null,
  -- which refund of ours a line of a refund is
  refund_id uuid,
  read_at timestamptz not null,
  primary key (acquirer, kind, acquirer_reference)
);
create index acquirer_statement_lines_reference on acquirer_statement_lines (acquirer, reference) where reference is not null;
create index acquirer_statement_lines_refund on acquirer_statement_lines (refund_id) where refund_id is not null;
