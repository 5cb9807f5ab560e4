-- PostgreSQL sorts NaN above every number, so that it passes every other check of a balance.
alter table ledger_accounts add constraint balances_are_numbers check (posted <> 'NaN' and held <> 'NaN') not valid;
