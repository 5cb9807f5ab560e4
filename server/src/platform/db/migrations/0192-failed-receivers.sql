-- Payments that failed on chain are counted by receiver and by merchant before a receiver's code is paid again.
create index withdrawals_failed_receiver on withdrawals (blockchain, to_address, updated_at) where state = 'failed' and outgoing_id is not null;
create index withdrawals_failed_merchant on withdrawals (merchant_id, blockchain, updated_at) where state = 'failed' and outgoing_id is not null;
