-- Each account with an acquirer has its own line of payments: what is due is looked up by the account.
create index payments_due_at on payments (acquirer, next_step_at) where next_step_at is not null;
drop index payments_due;
