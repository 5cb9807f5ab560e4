-- outside a transaction
create index concurrently if not exists exchange_withdrawals_exchange on exchange_withdrawals (merchant_id, exchange_id);
