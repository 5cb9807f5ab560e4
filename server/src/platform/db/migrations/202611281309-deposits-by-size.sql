-- outside a transaction
create index concurrently if not exists deposits_by_size on deposits (merchant_id, address, (state = 'credited'), units);
