-- What a Bitcoin block pays its miner can't be spent for 100 blocks. Null: a coin that no such rule holds back.
alter table utxos add column spendable_from bigint;
-- Only a coinbase spends nothing. Stored coins of the house that came without a deposit are older than 100 blocks, or the node says that it is too early.
update utxos x set spendable_from = x.block_height + 100 from deposits d
  where x.network = 'BITCOIN' and x.block_height is not null and x.spent_by is null
    and d.network = x.network and d.transaction = x.transaction and d.keys = '{}' and d.index = 'o:' || x.vout;
update deposits d set credit_height = d.block_height + 99
  where d.network = 'BITCOIN' and d.state = 'pending' and d.block_height is not null and d.keys = '{}' and d.index like 'o:%'
    and coalesce(d.credit_height, 0) < d.block_height + 99;
