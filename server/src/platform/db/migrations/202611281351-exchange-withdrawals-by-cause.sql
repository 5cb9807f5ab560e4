-- outside a transaction
-- The exchanges of conversions that also send the bought money, by the payment that they convert.
create index concurrently if not exists exchange_withdrawals_cause on exchange_withdrawals (merchant_id, local_id)
  where caused_by is not null;
