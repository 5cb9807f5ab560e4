-- outside a transaction
-- A reference names one refund. An acquirer keeps no reference of a refused refund, so the next refund has the same.
create unique index concurrently if not exists payment_refunds_sent_reference on payment_refunds (reference) where reference is not null and state <> 'refused';
