-- outside a transaction
-- Balances of merchants by their ids: the job that counts daily figures walks them, and skips no account of another kind.
create index concurrently if not exists ledger_accounts_merchants on ledger_accounts (id) where kind = 'merchant';
