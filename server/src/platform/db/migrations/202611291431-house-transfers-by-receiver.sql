-- outside a transaction
-- The transfers to an address of a replaced seed: whether its deposits are safe (docs/decisions/0210).
create index concurrently if not exists house_transfers_receiver on house_transfers (network, to_address, asset, block_height);
