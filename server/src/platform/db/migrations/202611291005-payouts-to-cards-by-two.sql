-- Payouts to cards that a member asks for and another member approves. The table has the sealed number of a card while
-- its request can still be paid; a job of the worker erases it after that.
create table payout_cards (
  request_id uuid primary key references payout_requests (id),
  merchant_id uuid not null,
  sealed_card text not null
);
alter table payout_requests drop constraint payout_requests_kind_check;
alter table payout_requests add constraint payout_requests_kind_check
  check (kind in ('one', 'file', 'to-card') and refund_of is null
    or kind in ('claim', 'card') and refund_of is not null and invoice_id is not null) not valid;
