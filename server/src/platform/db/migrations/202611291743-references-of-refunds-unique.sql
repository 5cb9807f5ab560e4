-- outside a transaction
-- A reference names one refund.
create unique index concurrently if not exists payment_refunds_sent_reference on payment_refunds (reference) where reference is not null;
