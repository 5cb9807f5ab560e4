-- When all unspent outputs of a network of coins were looked through for our addresses the last time: most comparisons ask for known coins only.
alter table custody_rounds add column scanned_at timestamptz;
create index utxos_at on utxos (network, address) where spent_by is null;
