-- What was sent from a cold address: asked for with each block, of few transactions.
create index utxos_cold_spent on utxos (network, spent_by) where account = 'cold' and spent_by is not null;
-- What was made since a moment: whether anything moved while a transfer to cold storage waits for its nonce.
create index outgoing_created on outgoing (network, created_at);
