-- Refunds that members ask for and approve as they do payouts: of the claim of an underpaid crypto invoice, or of a card
-- payment. `refund_of` is the claim or the card payment, `invoice_id` the invoice that it belongs to.
alter table payout_requests add column refund_of uuid;
alter table payout_requests add column invoice_id uuid;
alter table payout_requests drop constraint payout_requests_kind_check;
alter table payout_requests add constraint payout_requests_kind_check
  check (kind in ('one', 'file') and refund_of is null or kind in ('claim', 'card') and refund_of is not null and invoice_id is not null) not valid;
