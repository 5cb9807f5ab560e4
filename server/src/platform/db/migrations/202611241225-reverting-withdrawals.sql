-- How many withdrawals of a merchant wait because their receivers refuse them, for the pause until the next look.
create index withdrawals_reverting on withdrawals (merchant_id, blockchain) where state = 'requested' and reverting_since is not null;
