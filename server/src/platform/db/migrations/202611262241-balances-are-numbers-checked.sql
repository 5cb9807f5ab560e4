-- Checks the rows that are older than the constraint, without a lock that stops writes.
alter table ledger_accounts validate constraint balances_are_numbers;
