-- outside a transaction
-- The transfers from an address of a replaced seed: whether its deposits are safe (docs/decisions/0210).
create index concurrently if not exists house_transfers_sender on house_transfers (network, from_address, asset, block_height);
