-- How many transactions were planned from a hot address, so that a planner sees whether another has planned from it since
-- the balance was read. TRON's hot address has a row for it too; its next_nonce stays 0, because TRON has no nonces.
alter table hot_wallets add column planned bigint not null default 0;
