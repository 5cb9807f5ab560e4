-- How far a merchant that wants it has been written to about its deposits and withdrawals.
create table mail_digests (
  merchant_id uuid primary key references merchants (id),
  -- of the last event that a mail told of, or that was there when the merchant set its address
  sequence bigint not null,
  at timestamptz not null
);
