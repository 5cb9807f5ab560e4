-- A claim follows the withdrawal that pays it: sent once that is Done; failed when it is Failed, and then it waits for its merchant again.
alter table refund_claims drop constraint refund_claims_state_check;
alter table refund_claims add constraint refund_claims_state_check check (state in ('requested', 'approved', 'sent', 'failed', 'refused'));
alter table refund_claims drop constraint refund_claims_check;
alter table refund_claims add constraint refund_claims_withdrawal_check
  check (case when state in ('approved', 'sent', 'failed') then withdrawal_id is not null else state = 'refused' or withdrawal_id is null end);
-- the transaction that brought it; null where it went inside the ledger
alter table refund_claims add column hash text;
drop index refund_claims_open;
create unique index refund_claims_open on refund_claims (merchant_id, invoice_id) where state <> 'refused';
drop index refund_claims_waiting;
create index refund_claims_waiting on refund_claims (requested_at) where state in ('requested', 'failed');
create unique index refund_claims_withdrawal on refund_claims (merchant_id, withdrawal_id);
