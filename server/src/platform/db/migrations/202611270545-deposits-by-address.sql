-- outside a transaction
create index concurrently if not exists deposits_of_address on deposits (merchant_id, address, id);
